/** Which of the open markets have their books watched. Pure. */
import type { ListedMarket } from './markets.ts';

/** A market with its place in the order, which is worked out once. */
interface Ranked {
  readonly market: ListedMarket;
  /** From 0 to 3, the higher the sooner. */
  readonly rank: number;
}

/**
 * The markets whose books are watched, at most `tokensMax` tokens, the first one first: questions about coin prices, then
 * those that are watched already, so that markets of the same size do not take turns, then the largest of the day.
 *
 * The catalog may list 200,000 markets, and nothing is received while they are looked through: it is never sorted as a
 * whole. Each market is looked at once, and what cannot be among the chosen any more is let go on the way.
 */
export function chooseMarkets(
  markets: Iterable<ListedMarket>,
  watched: ReadonlySet<string>,
  tokensMax: number,
): ListedMarket[] {
  let cutAt = tokensMax;
  let kept: Ranked[] = [];
  /** Whatever comes behind it is not among the chosen; null while there is room. */
  let last: Ranked | null = null;
  for (const market of markets) {
    if (!market.open) continue;
    const rank = (market.cryptoPrice ? 2 : 0) + (watched.has(market.conditionId) ? 1 : 0);
    const ranked = { market, rank };
    if (last !== null && inOrder(last, ranked) < 0) continue;
    kept.push(ranked);
    if (kept.length <= cutAt) continue;
    kept = upTo(kept, tokensMax);
    // Once as many came again, so that all cuts together cost no more for each market than a few looks.
    cutAt = 2 * kept.length;
    last = tokensOf(kept) > tokensMax ? kept.at(-1)! : null;
  }
  const first = upTo(kept, tokensMax);
  const chosen = tokensOf(first) > tokensMax ? first.slice(0, -1) : first;
  return chosen.map(({ market }) => market);
}

/** The first ones in order, up to the one with which there are more than `tokensMax` tokens; all where there is none. */
function upTo(candidates: readonly Ranked[], tokensMax: number): Ranked[] {
  const ordered = candidates.toSorted(inOrder);
  let tokens = 0;
  const end = ordered.findIndex(({ market }) => {
    tokens += market.tokens.length;
    return tokens > tokensMax;
  });
  return end < 0 ? ordered : ordered.slice(0, end + 1);
}

function inOrder(a: Ranked, b: Ranked): number {
  return (
    b.rank - a.rank || b.market.dayVolume - a.market.dayVolume || (a.market.conditionId < b.market.conditionId ? -1 : 1)
  );
}

function tokensOf(ranked: readonly Ranked[]): number {
  return ranked.reduce((tokens, { market }) => tokens + market.tokens.length, 0);
}
