/** Finds the first block of a time by binary search. Block times vary, so it cannot be calculated from numbers. */

/** Returns the time of a block, unix seconds. */
type TimeOf = (block: number) => Promise<number>;

/** The first of the blocks `low` to `high` that is not older than `since` (unix seconds); `high` if all are older. */
export async function firstBlockSince(timeOf: TimeOf, since: number, low: number, high: number): Promise<number> {
  let [from, to] = [low, high];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if ((await timeOf(middle)) >= since) to = middle;
    else from = middle + 1;
  }
  return from;
}
