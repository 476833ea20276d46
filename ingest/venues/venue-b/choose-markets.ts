/** Chooses the open markets whose books are watched. Pure. */
import type { ListedMarket } from './markets.ts';

/** A market with its rank, which is calculated once. */
interface Ranked {
  readonly market: ListedMarket;
  /** From 0 to 7; higher ranks come first. */
  readonly rank: number;
}

/**
 * Chooses markets with at most `tokensMax` tokens, in order of priority: questions about coin prices, then markets of
 * which bound accounts hold a token, then markets that are watched already, so that markets of similar size do not
 * alternate, then the largest by daily volume.
 *
 * The catalog may list 200,000 markets, and the event loop is blocked meanwhile, so the catalog is never sorted
 * completely. Each market is visited once, and those that cannot be chosen any more are dropped on the way.
 */
export function chooseMarkets(
  markets: Iterable<ListedMarket>,
  watched: ReadonlySet<string>,
  tokensMax: number,
  isHeld: (token: string) => boolean = () => false,
): ListedMarket[] {
  let compactAt = tokensMax;
  let candidates: Ranked[] = [];
  /** Markets that follow it in the order cannot be chosen; null while there is room. */
  let last: Ranked | null = null;
  for (const market of markets) {
    if (!market.open) continue;
    const rank =
      (market.cryptoPrice ? 4 : 0) + (market.tokens.some(isHeld) ? 2 : 0) + (watched.has(market.conditionId) ? 1 : 0);
    const ranked = { market, rank };
    if (last !== null && inOrder(last, ranked) < 0) continue;
    candidates.push(ranked);
    if (candidates.length <= compactAt) continue;
    candidates = upTo(candidates, tokensMax);
    // The next compaction is due at twice the size, so that its cost for each market stays constant.
    compactAt = 2 * candidates.length;
    last = tokensOf(candidates) > tokensMax ? candidates.at(-1)! : null;
  }
  const first = upTo(candidates, tokensMax);
  const chosen = tokensOf(first) > tokensMax ? first.slice(0, -1) : first;
  return chosen.map(({ market }) => market);
}

/** The first candidates in order, including the one that exceeds `tokensMax` tokens; all if none does. */
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
