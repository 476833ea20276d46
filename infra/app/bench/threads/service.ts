/**
 * Program of the service under test: `npm start` with the arguments of this process. Each SIGUSR2 makes it print
 * `TURN-<n> <ms>`: the longest turn of its event loop since the previous signal, whose number `<n>` counts from 1.
 */
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { main } from '../../cli/main.ts';
import { programArguments } from './program-arguments.ts';

const RESOLUTION_MS = 1;
const NS_PER_MS = 1e6;

let turns: IntervalHistogram | null = null;
let printed = 0;
process.on('SIGUSR2', () => {
  // It wakes the process up a thousand times a second, so it runs only if it is read.
  if (!turns) {
    turns = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    turns.enable();
  }
  printed += 1;
  console.log(`TURN-${printed} ${Math.max(0, turns.max / NS_PER_MS - RESOLUTION_MS)}`);
  turns.reset();
});

await main(['start', ...programArguments()]);
