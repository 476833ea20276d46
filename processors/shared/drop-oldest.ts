/** What keeps a collection within a bound. Pure but for the collection. */

/** A map or a set, whose oldest entry is the one that was put in first. */
interface OrderedCollection<K> {
  readonly size: number;
  keys(): IterableIterator<K>;
  delete(key: K): boolean;
}

export interface DropOptions<K> {
  /** Takes one out, with what else is kept of it; else it is merely deleted. */
  readonly drop?: (key: K) => void;
  /** How many go at once; by default a hundredth of `max`. */
  readonly batchSize?: number;
}

/**
 * Takes the oldest entries out of what holds more than `max`. Several go at once, since to find its first entry a
 * collection steps over all that were removed before it: one by one, each newcomer beyond the bound would cost that again.
 */
export function dropOldest<K>(collection: OrderedCollection<K>, max: number, { drop, batchSize: batchSize = defaultBatchSize(max) }: DropOptions<K> = {}): void {
  if (collection.size <= max) return;
  const oldest = collection.keys();
  for (let count = 0; count < batchSize; count += 1) {
    const { value, done } = oldest.next();
    if (done) return;
    if (drop) drop(value);
    else collection.delete(value);
  }
}

/** How many go at once beyond a bound of `max`, unless it is said. */
export function defaultBatchSize(max: number): number {
  return Math.ceil(max / 100);
}
