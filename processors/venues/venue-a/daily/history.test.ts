/**
 * Compares daily rows of random histories with a plain implementation that holds every trade: late trades, lost
 * connections, repairs and bars of the venue, with restarts. `PARALLAX_PROPERTY_RUNS` sets the number of histories.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { canonicalDecimal } from '#schemas/domain/decimal';
import { candleRangeTopic, candleTopic } from '#schemas/topics/candles';
import { type Trade, tradeTopics } from '#schemas/topics/normalised';
import { createCandlesStage } from '../../../candles/stage.ts';
import { driveStage } from '../../../testing/drive-stage.fixture.ts';
import { barsOf, DAY, driveDaily, figuresOf, HOUR, MIDNIGHT, MINUTE, type PlainTrade } from './daily.fixture.ts';

const RUNS = Number(process.env.PARALLAX_PROPERTY_RUNS ?? 150);
const DAYS = 3;
const END = MIDNIGHT + DAYS * DAY;
const FIVE = 5 * MINUTE;

const TRADE = {
  provider: 'venue_a_perp',
  marketId: 'BTC',
  instrument: 'BTC',
  outcome: null,
  side: 'buy',
  usd: null,
  maker: null,
  taker: null,
  txHash: null,
  logIndex: null,
  tradeId: null,
  blockNumber: null,
  blockHash: null,
  orders: null,
  status: 'confirmed',
} as const;

interface History {
  readonly trades: readonly {
    readonly at: number;
    readonly price: number;
    readonly qty: number;
    /** Hours from the trade to its arrival. */
    readonly late: number;
  }[];
  readonly recordedFrom: number;
  readonly lost: readonly (readonly [number, number])[];
  readonly repaired: readonly boolean[];
  /** Buckets of five minutes that the venue answered at the end. */
  readonly venue: readonly [number, number] | null;
  readonly restartAt: number;
}

const time = fc.integer({ min: 0, max: DAYS * 24 * 60 * 60 - 1 }).map((seconds) => MIDNIGHT + seconds * 1_000);
/** Most trades are in a few hours, so that buckets have several. */
const busy = fc.integer({ min: 0, max: 3 * 60 * 60 }).map((seconds) => MIDNIGHT + DAY - HOUR + seconds * 1_000);
const pair = fc
  .tuple(fc.oneof(time, busy), fc.oneof(time, busy))
  .map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);
const history: fc.Arbitrary<History> = fc.record({
  trades: fc.array(
    fc.record({
      at: fc.oneof(time, busy),
      price: fc.integer({ min: 1, max: 999 }),
      qty: fc.integer({ min: 1, max: 9 }),
      late: fc.constantFrom(0, 0, 2, 9),
    }),
    { minLength: 1, maxLength: 60 },
  ),
  recordedFrom: fc.oneof(fc.constant(MIDNIGHT), time),
  lost: fc.array(pair, { maxLength: 2 }),
  repaired: fc.array(fc.boolean(), { minLength: 2, maxLength: 2 }),
  venue: fc.option(pair),
  restartAt: time,
});

interface Arrived extends PlainTrade {
  readonly receivedAt: number;
}

/** Spans without overlap, of at least a second, that begin and end between two trades. */
function lostSpans(lost: History['lost']): (readonly [number, number])[] {
  const spans: (readonly [number, number])[] = [];
  for (const [from, until] of [...lost].sort((a, b) => a[0] - b[0]))
    if (until - from >= 1_000 && from - 8 * HOUR > (spans.at(-1)?.[1] ?? 0)) spans.push([from - 500, until - 500]);
  return spans;
}

function check({ trades, recordedFrom, lost, repaired, venue, restartAt }: History): void {
  const spans = lostSpans(lost);
  const isCalm = (ts: number, delay: number) =>
    spans.every(([from, until]) => ts + delay < from - 2 * HOUR || ts > until + 4 * HOUR);
  const truth = trades
    .map(({ at, price, qty, late }): Arrived => {
      const isLate = isCalm(at, late * HOUR) && at > recordedFrom + 4 * HOUR && at + late * HOUR < END;
      const delay = isLate ? late * HOUR : 0;
      return {
        ts: at,
        price: canonicalDecimal(`${price}.5`),
        qty: canonicalDecimal(`0.${qty}`),
        receivedAt: at + delay,
      };
    })
    // Trades of one time are in the order of their arrival.
    .sort((a, b) => a.receivedAt - b.receivedAt)
    .sort((a, b) => a.ts - b.ts);
  const isLost = ({ ts }: PlainTrade) => ts < recordedFrom || spans.some(([from, until]) => ts > from && ts < until);
  const recorded = truth.filter((trade) => !isLost(trade));

  /** Trades that came too late for a bar. */
  const missed = new Set<PlainTrade>();
  const candles = driveStage(createCandlesStage());
  const daily = driveDaily();
  const steps: { at: number; order: number; run: () => void }[] = [];
  const arrivals = [...recorded].sort((a, b) => a.receivedAt - b.receivedAt);
  for (const [arrival, trade] of arrivals.entries()) {
    const { ts, price, qty, receivedAt } = trade;
    const value: Trade = { ...TRADE, id: `t${arrival}`, ts, receivedAt, arrival, price, qty };
    steps.push({
      at: receivedAt,
      order: 1,
      run() {
        candles.clear();
        candles.feed(tradeTopics.venue_a, value, { key: 'BTC' });
        for (const bar of candles.emittedTo(candleTopic)) daily.stage.feed(candleTopic, bar, { key: 'BTC' });
        for (const range of candles.emittedTo(candleRangeTopic)) {
          if (range.kind === 'gap') missed.add(trade);
          daily.stage.feed(candleRangeTopic, range, { key: 'BTC' });
        }
      },
    });
  }
  const first = arrivals[0]?.receivedAt ?? Number.POSITIVE_INFINITY;
  const gaps: { from: number; until: number; isRepaired: boolean }[] = [];
  for (const [nth, [lostAt, back]] of spans.entries()) {
    // Without a known trade there is no gap.
    if (lostAt < first) continue;
    const id = `gap ${lostAt}`;
    steps.push({
      at: lostAt,
      order: 2,
      run: () => daily.range({ kind: 'gap', id, from: lostAt, until: null, receivedAt: lostAt }),
    });
    const from = Math.max(...recorded.filter(({ receivedAt }) => receivedAt < lostAt).map(({ ts }) => ts));
    const next = arrivals.find(({ receivedAt }) => receivedAt > back);
    const gap = next ? { from, until: next.ts } : { from: lostAt, until: back };
    const closedAt = next?.receivedAt ?? back;
    steps.push({
      at: closedAt,
      order: 2,
      run: () => daily.range({ kind: 'gap', id, ...gap, receivedAt: closedAt }),
    });
    gaps.push({ ...gap, isRepaired: repaired[nth]! });
  }
  for (let at = MIDNIGHT; at <= END; at += HOUR)
    steps.push({
      at,
      order: 0,
      run() {
        if (at > restartAt && at <= restartAt + HOUR) daily.stage.restart();
        daily.clock(at);
      },
    });
  for (const { run } of steps.sort((a, b) => a.at - b.at || a.order - b.order)) run();

  const minutes: [number, number][] = [];
  for (const gap of gaps.filter(({ isRepaired }) => isRepaired)) {
    const span = { from: floor(gap.from, MINUTE), until: floor(gap.until, MINUTE) + MINUTE };
    for (const bar of barsOf(
      truth.filter(({ ts }) => ts >= span.from && ts < span.until),
      MINUTE,
    ))
      daily.venueBar({ ...bar, receivedAt: END });
    daily.venueRange({ ...span, receivedAt: END });
    minutes.push([span.from, span.until]);
  }
  const five = venue && [Math.ceil(venue[0] / FIVE) * FIVE, floor(venue[1], FIVE)];
  if (five && five[0]! < five[1]!) {
    for (const bar of barsOf(
      truth.filter(({ ts }) => ts >= five[0]! && ts < five[1]!),
      FIVE,
    ))
      daily.venueBar({ ...bar, receivedAt: END });
    daily.venueRange({ intervalMs: FIVE, from: five[0]!, until: five[1]!, receivedAt: END });
  }
  daily.clock(END + 5_000);

  const known = recorded.filter((trade) => !missed.has(trade));
  const since = Math.min(...known.map(({ ts }) => ts)) + 1;
  const isMinuteComplete = (at: number) =>
    minutes.some(([from, until]) => at >= from && at < until) ||
    (at >= since && gaps.every(({ from, until }) => at + MINUTE <= from || floor(until, MINUTE) < at));
  const isComplete = (at: number) =>
    [0, 1, 2, 3, 4].every((nth) => isMinuteComplete(at + nth * MINUTE)) ||
    (five !== null && at >= five[0]! && at + FIVE <= five[1]!);
  for (let day = MIDNIGHT; day < END; day += DAY) {
    const tradeDate = new Date(day).toISOString().slice(0, 10);
    const row = daily.rows().findLast((emitted) => emitted.tradeDate === tradeDate);
    const within = (trades: readonly PlainTrade[]) => (from: number, until: number) =>
      trades.filter(({ ts }) => ts >= from && ts < until);
    if ([...missed].some(({ ts }) => ts >= day && ts < day + DAY)) {
      // Which other buckets count as incomplete depends on what was joined with that of the trade.
      const isAnswered = five !== null && day >= five[0]! && day + DAY <= five[1]!;
      const atLeast = figuresOf(day, within(known));
      if (isAnswered || row?.complete)
        expect(row, tradeDate).toMatchObject({ complete: true, ...figuresOf(day, within(truth)) });
      else if (five === null && minutes.length === 0) expect(row ?? {}, tradeDate).toMatchObject(atLeast ?? {});
      // No bar is lost with those that are replaced.
      else expect(row?.parts ?? 0, tradeDate).toBeGreaterThanOrEqual(atLeast?.parts ?? 0);
      continue;
    }
    const figures = figuresOf(day, (from, until) => within(isComplete(from) ? truth : known)(from, until));
    let complete = true;
    for (let at = day; at < day + DAY; at += FIVE) complete &&= isComplete(at);
    if (figures) expect(row, tradeDate).toMatchObject({ ...figures, complete });
    else expect(row?.parts ?? 0, tradeDate).toBe(0);
  }
}

const floor = (at: number, step: number) => Math.floor(at / step) * step;

it('the rows of random histories equal those of their trades', () => {
  fc.assert(fc.property(history, check), { numRuns: RUNS });
});
