/** Ends a command on a signal that it does not handle itself. */
import { constants } from 'node:os';

/** Added to the number of a signal, as shells do. */
const SIGNAL_CODE = 128;

/**
 * Ends the process on SIGINT and SIGTERM unless another listener handles them. Without a listener, the kernel does not
 * deliver them to the first process of a container, so that Ctrl-C would not end a command there.
 *
 * @param target the process itself, except in tests.
 */
export function endOnSignals(
  target: Pick<NodeJS.Process, 'once' | 'listenerCount' | 'kill' | 'exit' | 'pid'> = process,
): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    target.once(signal, () => {
      if (target.listenerCount(signal) > 0) return;
      // As without a listener. Exit handlers do not run: the engine of the store would wait for its threads in them.
      target.kill(target.pid, signal);
      target.exit(SIGNAL_CODE + constants.signals[signal]);
    });
}
