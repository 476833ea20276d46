/** Program of the service under test: `npm start` with the arguments of this process. */
import { main } from '../../cli/main.ts';
import { programArguments } from './program-arguments.ts';

await main(['start', ...programArguments()]);
