/**
 * A sorted list without duplicates, as plain data: consecutive non-empty arrays of at most `CHUNK_MAX` items. Adding or
 * removing an item moves only the items of one chunk; in a single array it would move all items behind it. Iterating
 * the chunks yields the items in order.
 */
export type SortedChunks<T> = T[][];

/** Negative if `a` sorts before `b`, 0 if they are equal. */
type Compare<T> = (a: T, b: T) => number;

/**
 * A larger chunk is split in two. About the square root of 200,000 items, which balances the number and the size of
 * chunks.
 */
export const CHUNK_MAX = 512;

/** Inserts an item, or replaces an equal one. */
export function putSorted<T>(chunks: SortedChunks<T>, item: T, compare: Compare<T>): void {
  // An item that sorts after all others goes to the end of the last chunk.
  const at = Math.min(chunkOf(chunks, item, compare), chunks.length - 1);
  const chunk = chunks[at];
  if (!chunk) {
    chunks.push([item]);
    return;
  }
  const index = indexIn(chunk, item, compare);
  chunk.splice(index, isEqualAt(chunk, index, item, compare) ? 1 : 0, item);
  if (chunk.length > CHUNK_MAX) chunks.splice(at + 1, 0, chunk.splice(chunk.length >>> 1));
}

/** Removes the item that is equal to the given one, if there is one. */
export function removeSorted<T>(chunks: SortedChunks<T>, item: T, compare: Compare<T>): void {
  const at = chunkOf(chunks, item, compare);
  const chunk = chunks[at];
  if (!chunk) return;
  const index = indexIn(chunk, item, compare);
  if (!isEqualAt(chunk, index, item, compare)) return;
  chunk.splice(index, 1);
  if (chunk.length === 0) chunks.splice(at, 1);
}

/** Removes all items that match a predicate and returns them in order, in one pass. */
export function extractSorted<T>(chunks: SortedChunks<T>, predicate: (item: T) => boolean): T[] {
  const extracted: T[] = [];
  const remaining: T[] = [];
  for (const item of chunks.flat()) (predicate(item) ? extracted : remaining).push(item);
  chunks.length = 0;
  // Rebuilds the chunks, since many of them could be nearly empty now.
  for (let from = 0; from < remaining.length; from += CHUNK_MAX) chunks.push(remaining.slice(from, from + CHUNK_MAX));
  return extracted;
}

/** Index of the first chunk whose last item is not before the item; the number of chunks if there is none. */
function chunkOf<T>(chunks: SortedChunks<T>, item: T, compare: Compare<T>): number {
  return firstIndexWhere(chunks.length, (at) => compare(chunks[at]!.at(-1)!, item) >= 0);
}

function indexIn<T>(chunk: readonly T[], item: T, compare: Compare<T>): number {
  return firstIndexWhere(chunk.length, (at) => compare(chunk[at]!, item) >= 0);
}

function isEqualAt<T>(chunk: readonly T[], index: number, item: T, compare: Compare<T>): boolean {
  return index < chunk.length && compare(chunk[index]!, item) === 0;
}

/** Binary search for the first index below `length` where `holds` is true; `length` if there is none. */
function firstIndexWhere(length: number, holds: (at: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
