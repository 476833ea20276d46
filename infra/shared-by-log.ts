/** Things of which a process needs one for each log that it reads, however many of its roles use it. */
import type { EventLog } from './log/log.ts';

interface Closable {
  close(): Promise<void>;
}

/**
 * `start` made so that all who open it for one log share one. Each opener closes it once; the last one ends it. One
 * that failed to start is not kept.
 */
export function sharedByLog<C extends { readonly log: EventLog }, T extends Closable>(
  start: (context: C) => Promise<T>,
): (context: C) => Promise<T> {
  const open = new WeakMap<EventLog, { readonly made: Promise<T>; users: number }>();
  return async (context) => {
    const { log } = context;
    const shared = open.get(log) ?? { made: start(context), users: 0 };
    open.set(log, shared);
    shared.users += 1;
    try {
      const made = await shared.made;
      // A view of it whose `close` is this opener's own.
      return Object.create(made, {
        close: {
          value: async () => {
            shared.users -= 1;
            if (shared.users > 0) return;
            open.delete(log);
            await made.close();
          },
        },
      }) as T;
    } catch (error) {
      open.delete(log);
      throw error;
    }
  };
}
