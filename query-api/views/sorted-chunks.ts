/**
 * A sorted list without equals, as plain data: arrays of at most `CHUNK_MAX` items, one after the other, none of them
 * empty. An item comes and goes at the cost of its own chunk, wherever it stands; in one array each would move all that
 * stand behind it. Who reads the list walks the chunks, in order at any moment.
 */
export type SortedChunks<T> = T[][];

/** Below 0 where `a` stands before `b`, 0 where they are the same. */
type Compare<T> = (a: T, b: T) => number;

/** A chunk above it is cut in two. About the root of some 200,000 items, so that chunks are as few as their items. */
export const CHUNK_MAX = 512;

/** Puts an item to its place, instead of an equal one. */
export function putSorted<T>(chunks: SortedChunks<T>, item: T, compare: Compare<T>): void {
  // What comes behind everything goes to the end of the last chunk.
  const at = Math.min(chunkOf(chunks, item, compare), chunks.length - 1);
  const chunk = chunks[at];
  if (!chunk) {
    chunks.push([item]);
    return;
  }
  const place = placeIn(chunk, item, compare);
  chunk.splice(place, isThere(chunk, place, item, compare) ? 1 : 0, item);
  if (chunk.length > CHUNK_MAX) chunks.splice(at + 1, 0, chunk.splice(chunk.length >>> 1));
}

/** Takes out what is equal to the item, if anything is. */
export function removeSorted<T>(chunks: SortedChunks<T>, item: T, compare: Compare<T>): void {
  const at = chunkOf(chunks, item, compare);
  const chunk = chunks[at];
  if (!chunk) return;
  const place = placeIn(chunk, item, compare);
  if (!isThere(chunk, place, item, compare)) return;
  chunk.splice(place, 1);
  if (chunk.length === 0) chunks.splice(at, 1);
}

/** Takes out all that a test tells, and gives them in their order: one walk, however many go. */
export function takeSorted<T>(chunks: SortedChunks<T>, isTaken: (item: T) => boolean): T[] {
  const taken: T[] = [];
  const kept: T[] = [];
  for (const item of chunks.flat()) (isTaken(item) ? taken : kept).push(item);
  chunks.length = 0;
  // Anew, since chunks of which little is left would stay as many as they were.
  for (let from = 0; from < kept.length; from += CHUNK_MAX) chunks.push(kept.slice(from, from + CHUNK_MAX));
  return taken;
}

/** Index of the first chunk that does not end before the item; their number where all do. */
function chunkOf<T>(chunks: SortedChunks<T>, item: T, compare: Compare<T>): number {
  return firstOf(chunks.length, (at) => compare(chunks[at]!.at(-1)!, item) >= 0);
}

function placeIn<T>(chunk: readonly T[], item: T, compare: Compare<T>): number {
  return firstOf(chunk.length, (at) => compare(chunk[at]!, item) >= 0);
}

function isThere<T>(chunk: readonly T[], place: number, item: T, compare: Compare<T>): boolean {
  return place < chunk.length && compare(chunk[place]!, item) === 0;
}

/** The first index below `length` of which something holds, if it holds of all after it; `length` if of none. */
function firstOf(length: number, holds: (at: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
