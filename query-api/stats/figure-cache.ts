/** Caches figures by a key for a while, so that several requests cause one read. */
import { LRUCache } from 'lru-cache';

export interface FigureCacheOptions {
  /** How long a figure is returned after its read began, ms. */
  readonly lifetimeMs: number;
  readonly entriesMax: number;
  /** Monotonic ms. */
  readonly now?: (() => number) | undefined;
}

export class FigureCache<T> {
  private readonly entries: LRUCache<string, Promise<T>>;

  constructor({ lifetimeMs, entriesMax, now = () => performance.now() }: FigureCacheOptions) {
    this.entries = new LRUCache({ max: entriesMax, ttl: lifetimeMs, perf: { now }, ttlResolution: 0 });
  }

  /**
   * Resolves with a figure for each key. A key that is being read is not read again. Rejects as `read` does; all that wait
   * for the key receive the error, which is not cached.
   * @param read is called once with the keys that are missing, and resolves with their figures in that order.
   * @param isReusable false for a figure that the next request reads again.
   */
  getAll(
    keys: readonly string[],
    read: (missing: readonly string[]) => Promise<readonly T[]>,
    isReusable: (figure: T) => boolean = () => true,
  ): Promise<T[]> {
    const found = new Map(keys.map((key) => [key, this.entries.get(key)]));
    const missing = [...found].flatMap(([key, figure]) => (figure === undefined ? [key] : []));
    if (missing.length > 0) {
      const reading = read(missing);
      for (const [at, key] of missing.entries()) {
        const figure = reading.then((figures) => figures[at]!);
        found.set(key, figure);
        this.entries.set(key, figure);
        this.dropOthers(key, figure, isReusable);
      }
    }
    return Promise.all(keys.map((key) => found.get(key)!));
  }

  private dropOthers(key: string, figure: Promise<T>, isReusable: (figure: T) => boolean): void {
    const drop = () => {
      if (this.entries.peek(key) === figure) this.entries.delete(key);
    };
    figure.then((value) => {
      if (!isReusable(value)) drop();
    }, drop);
  }
}
