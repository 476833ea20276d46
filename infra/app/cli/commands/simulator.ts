import { runSimulator } from '../../simulator/run-simulator.ts';
import type { Command } from '../command.ts';

/** Serves the simulated venues without the service, or writes a recording of them. */
export const simulator: Command = {
  run: (argv) =>
    runSimulator(argv, {
      environment: process.env,
      print: (line) => console.log(line),
      printError: (line) => console.error(line),
      // Repeated signals are ignored: the simulator is already stopping.
      untilStopped: () =>
        new Promise((resolve) => {
          for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve());
        }),
    }),
};
