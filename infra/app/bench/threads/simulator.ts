/**
 * Program that runs a simulator for a service in another process. Prints `URLs` and a JSON object of environment
 * variables that point a service at it. Its arguments are the number of events per second and the number of traders on
 * the leaderboard, one by default: hardly any benchmark is about the leaderboard.
 */
import { UPSTREAMS } from '#schemas/venues/streams';
import { startSimulator } from '../../simulator/start-simulator.ts';
import { programArguments } from './program-arguments.ts';

const [rate, traders = '1'] = programArguments();
const simulator = await startSimulator({
  seed: 1,
  rate: Number(rate),
  traders: Number(traders),
  events: 20,
  coins: 50,
  faults: [],
});
process.once('SIGTERM', () => void simulator.close().then(() => process.exit(0)));
const variables = Object.fromEntries(
  Object.values(UPSTREAMS).map(({ setting, variable }) => [variable, simulator.urls[setting]]),
);
console.log(`URLs ${JSON.stringify(variables)}`);
