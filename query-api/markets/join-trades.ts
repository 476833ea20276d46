import type { ServedTrade } from '../queries/read-trades.ts';

/**
 * Joins trades that were read just now with the recorded ones, both newest first, each trade once. Of equal times the
 * trades that were read come first, in their order: they contain the newest ones.
 */
export function joinTrades(
  read: readonly ServedTrade[],
  recorded: readonly ServedTrade[],
  limit: number,
): readonly ServedTrade[] {
  const ids = new Set(read.map(({ id }) => id));
  const others = recorded.filter(({ id }) => !ids.has(id));
  // The sort is stable.
  return [...read, ...others].sort((a, b) => b.ts - a.ts).slice(0, limit);
}
