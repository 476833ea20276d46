/** The first block of a time. Never worked out from numbers: blocks take longer at some times than at others. */

/** Asks for the unix seconds of a block. */
type TimeOf = (block: number) => Promise<number>;

/** The first of the blocks `low` to `high` that is not older than `since` (unix seconds); `high` where all are older. */
export async function firstBlockSince(timeOf: TimeOf, since: number, low: number, high: number): Promise<number> {
  let [from, to] = [low, high];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if ((await timeOf(middle)) >= since) to = middle;
    else from = middle + 1;
  }
  return from;
}
