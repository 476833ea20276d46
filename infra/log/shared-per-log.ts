/** Shares one instance for each log in a process, however many of its roles use it. */
import type { EventLog } from './log.ts';

interface Closable {
  close(): Promise<void>;
}

/**
 * Wraps `start` so that all callers for one log share one instance. Each caller closes it once; the last close ends it.
 * An instance that failed to start is not shared.
 */
export function sharedPerLog<C extends { readonly log: EventLog }, T extends Closable>(
  start: (context: C) => Promise<T>,
): (context: C) => Promise<T> {
  const open = new WeakMap<EventLog, { readonly instance: Promise<T>; users: number }>();
  return async (context) => {
    const { log } = context;
    const shared = open.get(log) ?? { instance: start(context), users: 0 };
    open.set(log, shared);
    shared.users += 1;
    const evict = () => {
      if (open.get(log) === shared) open.delete(log);
    };
    try {
      const instance = await shared.instance;
      let isClosed = false;
      return withClose(instance, async () => {
        if (isClosed) return;
        isClosed = true;
        shared.users -= 1;
        if (shared.users > 0) return;
        evict();
        await instance.close();
      });
    } catch (error) {
      evict();
      throw error;
    }
  };
}

/**
 * A view whose `close` belongs to one caller. All else is the instance itself: its methods read and change its own
 * fields.
 */
function withClose<T extends Closable>(instance: T, close: () => Promise<void>): T {
  return new Proxy(instance, {
    get(target, name) {
      if (name === 'close') return close;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
