/**
 * The program of a simulator that a service in another process reads: prints `URLs` and one JSON object of the
 * variables that lead a service to it. Its argument is the number of events a second.
 */
import { variableOfUrl } from '../../simulator/run-simulator.ts';
import { startSimulator } from '../../simulator/start-simulator.ts';
import { programArguments } from './program-arguments.ts';

const simulator = await startSimulator({
  seed: 1,
  rate: Number(programArguments()[0]),
  events: 20,
  coins: 50,
  faults: [],
});
process.once('SIGTERM', () => void simulator.close().then(() => process.exit(0)));
const variables = Object.fromEntries(Object.entries(simulator.urls).map(([name, url]) => [variableOfUrl(name), url]));
console.log(`URLs ${JSON.stringify(variables)}`);
