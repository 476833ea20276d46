/** Keeps a collection within a bound. Changes nothing but the collection. */

/** A map or a set. Its oldest entry is the one that was inserted first. */
interface OrderedCollection<K> {
  readonly size: number;
  keys(): IterableIterator<K>;
  delete(key: K): boolean;
}

export interface DropOptions<K> {
  /** Removes an entry and everything else that belongs to it. By default the entry is only deleted. */
  readonly drop?: (key: K) => void;
  /** Number of entries to drop at once; by default a hundredth of `max`. */
  readonly batchSize?: number;
}

/**
 * Drops the oldest entries of a collection with more than `max`. Several are dropped at once, because to find its first
 * entry a collection skips all that were removed before it: one by one, each entry beyond the bound would cost that
 * again.
 */
export function dropOldest<K>(
  collection: OrderedCollection<K>,
  max: number,
  { drop, batchSize = defaultBatchSize(max) }: DropOptions<K> = {},
): void {
  if (collection.size <= max) return;
  const oldest = collection.keys();
  for (let count = 0; count < batchSize; count += 1) {
    const { value, done } = oldest.next();
    if (done) return;
    if (drop) drop(value);
    else collection.delete(value);
  }
}

/** Returns how many entries are dropped at once beyond a bound of `max`, by default. */
export function defaultBatchSize(max: number): number {
  return Math.ceil(max / 100);
}
