/**
 * Naive calculation of the anomalies of trades and books from the complete story: for every minute and detector it
 * collects the values of the minutes before from the records up to the time of the evaluation.
 */
import { parseDecimal } from '#schemas/domain/decimal';
import type { AnomalyKind } from '#schemas/topics/anomalies';
import type { BookUpdate, Trade } from '#schemas/topics/normalised';

export type StoryEvent =
  | { readonly at: number; readonly trade: Trade }
  | { readonly at: number; readonly book: BookUpdate }
  | { readonly at: number; readonly tick: true };

export interface PlainDetection {
  readonly kind: AnomalyKind;
  readonly marketId: string;
  readonly ts: number;
  readonly value: bigint;
  readonly count: number;
}

const MINUTE = 60_000;
const ONE = 10n ** 18n;
const FLOORS = { trade_volume_spike: 10n * ONE, wallet_burst: ONE, spread_widening: ONE / 100n };
type Kind = keyof typeof FLOORS;
type Values = ReadonlyMap<number, bigint>;

/** Returns every detection, in any order. @param bound an integer, at least 3. */
export function plainDetections(
  story: readonly StoryEvent[],
  markets: readonly string[],
  bound: bigint,
): PlainDetection[] {
  const kinds = Object.keys(FLOORS) as Kind[];
  return markets.flatMap((market) => kinds.flatMap((kind) => detectionsOf(story, market, kind, bound)));
}

function detectionsOf(story: readonly StoryEvent[], marketId: string, kind: Kind, bound: bigint): PlainDetection[] {
  const found: PlainDetection[] = [];
  const late = kind === 'spread_widening' ? 0 : 20_000;
  const first = Math.floor(story[0]!.at / MINUTE);
  const last = Math.floor(story.at(-1)!.at / MINUTE);
  let inEpisode = false;
  for (let minute = first; minute <= last; minute += 1) {
    const evaluatedAt = story.findIndex(({ at }) => at >= (minute + 1) * MINUTE + late);
    if (evaluatedAt < 0) break;
    const known = story.slice(0, evaluatedAt);
    const values = kind === 'spread_widening' ? spreadsOf(known, marketId) : tradesOf(known, marketId, kind);
    const value = values.get(minute);
    const baseline = [...values].flatMap(([key, other]) => (key < minute && key >= minute - 1_440 ? [other] : []));
    if (value === undefined || baseline.length < 30) continue;
    const ratio = squaredScore(baseline, value, FLOORS[kind]);
    if (inEpisode) inEpisode = ratio !== null && ratio.top >= 9n * ratio.bottom;
    else if (ratio !== null && ratio.top >= bound * bound * ratio.bottom) {
      inEpisode = true;
      found.push({ kind, marketId, ts: minute * MINUTE, value, count: baseline.length });
    }
  }
  return found;
}

/** Returns z squared; null if z is negative. */
function squaredScore(baseline: readonly bigint[], value: bigint, floor: bigint) {
  const count = BigInt(baseline.length);
  const sum = baseline.reduce((total, one) => total + one, 0n);
  if (value * count < sum) return null;
  const spread = baseline.reduce((total, one) => total + (one * count - sum) ** 2n, 0n);
  // Everything is multiplied by count^3: the variance is `spread` divided by that.
  const variance = spread > floor * floor * count ** 3n ? spread : floor * floor * count ** 3n;
  return { top: (value * count - sum) ** 2n * count, bottom: variance };
}

function spreadsOf(story: readonly StoryEvent[], marketId: string): Values {
  const values = new Map<number, bigint>();
  let lastSpread = -ONE;
  for (const event of story) {
    if (!('book' in event) || event.book.marketId !== marketId) continue;
    const { bids, asks } = event.book;
    const minute = Math.floor(event.at / MINUTE);
    const spread = parseDecimal(asks[0]!.price) - parseDecimal(bids[0]!.price);
    if (!values.has(minute)) values.set(minute, lastSpread);
    if (spread > values.get(minute)!) values.set(minute, spread);
    lastSpread = spread;
  }
  return values;
}

function tradesOf(story: readonly StoryEvent[], marketId: string, kind: Kind): Values {
  const validTrades = new Map<string, Trade>();
  for (const event of story) {
    if (!('trade' in event) || event.trade.marketId !== marketId) continue;
    const { trade, at } = event;
    if (trade.status === 'reverted') validTrades.delete(trade.id);
    else if (at < (Math.floor(trade.ts / MINUTE) + 1) * MINUTE + 20_000) validTrades.set(trade.id, trade);
  }
  const minutes = new Map<number, Trade[]>();
  for (const trade of validTrades.values()) {
    const minute = Math.floor(trade.ts / MINUTE);
    minutes.set(minute, [...(minutes.get(minute) ?? []), trade]);
  }
  return new Map(
    [...minutes].map(([minute, trades]) => [minute, kind === 'wallet_burst' ? most(trades) : total(trades)]),
  );
}

const total = (trades: readonly Trade[]) => trades.reduce((sum, { qty }) => sum + parseDecimal(qty), 0n);

function most(trades: readonly Trade[]): bigint {
  const wallets = trades.flatMap(({ maker, taker }) => [...new Set([maker, taker])]);
  return BigInt(Math.max(...wallets.map((wallet) => wallets.filter((other) => other === wallet).length))) * ONE;
}
