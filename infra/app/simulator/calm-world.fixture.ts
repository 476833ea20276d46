import { tradeText } from './venues/venue-a/market-text.ts';
import { matchOrders } from './venues/venue-b/match-orders.ts';
import { makeLevelBook } from './world/ladder-book.ts';
import type { Question } from './world/questions.ts';
import { MINUTE_MS } from './world/time.ts';
import { createWorld, type World, type WorldSettings } from './world/world.ts';

/** A figure that the detectors evaluate per market and minute. */
export type Figure = 'volume' | 'spread' | 'fills';
/** Lower bounds of a deviation: shares, dollars, fills. */
const LEAST: Readonly<Record<Figure, number>> = { volume: 10, spread: 0.01, fills: 1 };
const MIN_BUCKETS = 30;
const TRAILING = 1_440;

/** How far one bucket of a venue and figure is from those before it. */
export interface Outlier {
  /** Deviations from the mean of the 24 hours before. */
  readonly z: number;
  /** Number of non-empty buckets before it, their mean and their deviation. */
  readonly count: number;
  readonly mean: number;
  readonly deviation: number;
  readonly market: string;
  readonly atMs: number;
  readonly value: number;
}

interface Bucket {
  readonly minute: number;
  readonly value: number;
}

/** Calculates how far each bucket is from the non-empty ones of the 24 hours before it. */
function deviations(
  figure: Figure,
  buckets: readonly Bucket[],
): { at: Bucket; z: number; count: number; mean: number; deviation: number }[] {
  const found: { at: Bucket; z: number; count: number; mean: number; deviation: number }[] = [];
  let [first, sum, squares] = [0, 0, 0];
  for (const [nth, at] of buckets.entries()) {
    for (; buckets[first]!.minute < at.minute - TRAILING; first += 1) {
      sum -= buckets[first]!.value;
      squares -= buckets[first]!.value ** 2;
    }
    const count = nth - first;
    if (count >= MIN_BUCKETS) {
      const mean = sum / count;
      const deviation = Math.sqrt(Math.max(0, squares / count - mean * mean));
      found.push({ at, count, mean, deviation, z: (at.value - mean) / Math.max(deviation, LEAST[figure]) });
    }
    sum += at.value;
    squares += at.value ** 2;
  }
  return found;
}

/** Simulates [fromMs, toMs) and returns the deviations of all buckets, largest first, by `<venue> <figure>`. */
export function outliersOf(settings: WorldSettings, fromMs: number, toMs: number): Map<string, Outlier[]> {
  const world = createWorld(settings);
  const series = new Map<string, Map<number, number>>();
  const wallets = new Map<string, Map<string, number>>();
  const bucket = (venue: string, figure: Figure, market: string, atMs: number, merge: (old: number) => number) => {
    const key = `${venue} ${figure} ${market}`;
    const minutes = series.get(key) ?? new Map<number, number>();
    series.set(key, minutes);
    const minute = Math.floor(atMs / MINUTE_MS);
    minutes.set(minute, merge(minutes.get(minute) ?? 0));
  };
  const trade = (venue: string, market: string, atMs: number, shares: number, users: readonly string[]) => {
    bucket(venue, 'volume', market, atMs, (old) => old + shares);
    const minute = `${market} ${Math.floor(atMs / MINUTE_MS)}`;
    const fills = wallets.get(minute) ?? new Map<string, number>();
    wallets.set(minute, fills);
    for (const user of users) {
      fills.set(user, (fills.get(user) ?? 0) + 1);
      bucket(venue, 'fills', market, atMs, (old) => Math.max(old, fills.get(user)!));
    }
  };
  collectFigures(world, fromMs, toMs, bucket, trade);

  const found = new Map<string, Outlier[]>();
  for (const [key, minutes] of series) {
    const [venue, figure, market] = key.split(' ') as [string, Figure, string];
    const buckets = [...minutes].map(([minute, value]) => ({ minute, value }));
    const all = found.get(`${venue} ${figure}`) ?? [];
    found.set(`${venue} ${figure}`, all);
    for (const { at, ...rest } of deviations(figure, buckets)) {
      all.push({ ...rest, market, atMs: at.minute * MINUTE_MS, value: at.value });
    }
  }
  for (const all of found.values()) all.sort((a, b) => b.z - a.z);
  return found;
}

type RecordBucket = (
  venue: string,
  figure: Figure,
  market: string,
  atMs: number,
  merge: (old: number) => number,
) => void;
type RecordTrade = (venue: string, market: string, atMs: number, shares: number, users: readonly string[]) => void;

/** Unique name of a question of a venue. */
export const marketName = ({ slot, generation }: Question) => `${slot.index}/${generation}`;

function collectFigures(world: World, fromMs: number, toMs: number, bucket: RecordBucket, trade: RecordTrade): void {
  const { schedule } = world;
  const book = makeLevelBook(1);
  const last = schedule.firstEventAt(toMs);
  for (let event = schedule.firstEventAt(fromMs); event < last; event += 1) {
    const { kind, index } = world.series(schedule.seriesByEntry[event % schedule.length]!);
    const atMs = schedule.timeOf(event);
    if (kind === 'question') {
      const { question, book: after, match } = world.questionUpdate(index, schedule.versionOf(event));
      const market = marketName(question);
      const [bid, ask] = [after.bids[0], after.asks[0]];
      if (bid && ask) {
        const spread = (ask.price - bid.price) / 1_000;
        bucket('venue_b', 'spread', market, atMs, (old) => Math.max(old, spread));
      }
      if (!match) continue;
      const orders = matchOrders(world, match);
      for (const [nth, { size }] of match.legs.entries()) {
        trade('venue_b', market, atMs, size / 100, [orders[nth]!.account, orders.at(-1)!.account]);
      }
    } else if (kind === 'outcome_book' && index % 2 === 0) {
      world.outcomeBookAt(index, atMs, book);
      if (book.bidDepth === 0 || book.askDepth === 0) continue;
      const spread = (book.askPx[0]! - book.bidPx[0]!) / 10_000;
      bucket('venue_a', 'spread', marketName(world.venueA.liveIn(index >> 1, atMs)), atMs, (old) =>
        Math.max(old, spread),
      );
    } else if (kind === 'outcome_trade') {
      const market = marketName(world.venueA.liveIn(index >> 1, atMs));
      const { sz, users } = JSON.parse(tradeText(world, '', world.outcomeTradeOf(index, event)));
      trade('venue_a', market, atMs, Number(sz), users);
    }
  }
}
