/** The program of the service under test: `npm start` with the flags of this process. */
import { main } from '../../cli/main.ts';

await main(['start', ...process.argv.slice(2)]);
