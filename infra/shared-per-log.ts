/** Things of which a process needs one for each log that it reads, however many of its roles use it. */
import type { EventLog } from './log/log.ts';

interface Closable {
  close(): Promise<void>;
}

/**
 * `start` made so that all who open it for one log share one. Each opener closes it once; the last one ends it. One
 * that failed to start is not kept.
 */
export function sharedPerLog<C extends { readonly log: EventLog }, T extends Closable>(
  start: (context: C) => Promise<T>,
): (context: C) => Promise<T> {
  const open = new WeakMap<EventLog, { readonly made: Promise<T>; users: number }>();
  return async (context) => {
    const { log } = context;
    const shared = open.get(log) ?? { made: start(context), users: 0 };
    open.set(log, shared);
    shared.users += 1;
    const forget = () => {
      if (open.get(log) === shared) open.delete(log);
    };
    try {
      const made = await shared.made;
      let isClosed = false;
      return withClose(made, async () => {
        if (isClosed) return;
        isClosed = true;
        shared.users -= 1;
        if (shared.users > 0) return;
        forget();
        await made.close();
      });
    } catch (error) {
      forget();
      throw error;
    }
  };
}

/** A view whose `close` is one opener's own. All else is the thing itself: its methods see and change its own fields. */
function withClose<T extends Closable>(made: T, close: () => Promise<void>): T {
  return new Proxy(made, {
    get(target, name) {
      if (name === 'close') return close;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
