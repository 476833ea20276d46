/**
 * Which of the venue's 5-minute bars the daily rows need (contract, "Daily, leaderboard"): those of days without a complete
 * row, as far back as the venue stores them. A day without a row is requested until responses cover it, one with a row until
 * that is complete; the newest days first. Pure: follows from the records of rows and of ranges.
 */
import { INTERVALS, VENUE_SOURCE } from '#schemas/domain/candles/sources';
import { covers, type Span, union } from '#schemas/domain/candles/spans';
import type { CandleRange } from '#schemas/topics/candles';
import type { DailyRow } from '#schemas/topics/daily';
import { oldestStored } from '#schemas/venues/venue-a/candle-snapshot';

const DAY_MS = INTERVALS['1d'];
const BUCKET_MS = INTERVALS['5m'];
/** After its end a day gets its row, and gaps near its end are repaired, within this time. */
const SETTLED_AFTER_MS = 600_000;
/** Time until a request is repeated: doubled each time. What follows from its response arrives within seconds. */
const REPEAT_MIN_MS = 600_000;
const REPEAT_MAX_MS = 86_400_000;
/** Time until a request without an answer is repeated. */
const FAILED_MS = 60_000;

/** A request that is due: the bars of a coin on the UTC day that starts at a time. */
export interface DayOfCoin {
  readonly coin: string;
  /** Unix ms. */
  readonly day: number;
}

export class DailyBars {
  /** The ranges that responses of the venue covered, by coin. */
  private readonly covered = new Map<string, readonly Span[]>();
  /** True if the row of a coin is complete, by coin within a day. */
  private readonly rows = new Map<number, Map<string, boolean>>();
  /** Answers so far, and the time before which no request is due, by coin within a day. */
  private readonly attempts = new Map<number, Map<string, { count: number; notBefore: number }>>();

  /** Processes a range of bars, also one that was processed before. */
  recordRange({ coin, source, intervalMs, kind, from, until }: CandleRange): void {
    if (source !== VENUE_SOURCE || intervalMs !== BUCKET_MS || kind !== 'complete') return;
    const span = { from, until: until ?? Number.POSITIVE_INFINITY };
    this.covered.set(coin, union([...(this.covered.get(coin) ?? []), span]));
  }

  /** Processes a daily row. A later one of the same day replaces it. */
  recordRow({ tradeDate, marketType, symbol, complete }: DailyRow): void {
    if (marketType !== 'perp') return;
    entryOf(this.rows, Date.parse(tradeDate), () => new Map<string, boolean>()).set(symbol, complete);
  }

  /** Returns at most `max` requests that are due, those of the newest day first, and forgets days that are too old. */
  due(coins: readonly string[], now: number, max: number): DayOfCoin[] {
    const oldest = Math.ceil(oldestStored(BUCKET_MS, now) / DAY_MS) * DAY_MS;
    this.forget(oldest);
    const due: DayOfCoin[] = [];
    for (let day = lastEndedDay(now - SETTLED_AFTER_MS); day >= oldest; day -= DAY_MS)
      for (const coin of coins) {
        if (due.length === max) return due;
        if (this.isDue(coin, day, now)) due.push({ coin, day });
      }
    return due;
  }

  /** Records that the venue answered a request. */
  answered({ coin, day }: DayOfCoin, now: number): void {
    const ofDay = this.attemptsOf(day);
    const count = ofDay.get(coin)?.count ?? 0;
    ofDay.set(coin, { count: count + 1, notBefore: now + Math.min(REPEAT_MAX_MS, REPEAT_MIN_MS * 2 ** count) });
  }

  /** Records that a request got no answer. Others that are due come before it. */
  failed({ coin, day }: DayOfCoin, now: number): void {
    const ofDay = this.attemptsOf(day);
    ofDay.set(coin, { count: ofDay.get(coin)?.count ?? 0, notBefore: now + FAILED_MS });
  }

  private attemptsOf(day: number) {
    return entryOf(this.attempts, day, () => new Map<string, { count: number; notBefore: number }>());
  }

  private isDue(coin: string, day: number, now: number): boolean {
    const isComplete = this.rows.get(day)?.get(coin);
    // A trade may have been missed since responses covered the day; without a row they state that nothing was traded.
    if (isComplete ?? covers(this.covered.get(coin) ?? [], day, day + DAY_MS)) return false;
    return now >= (this.attempts.get(day)?.get(coin)?.notBefore ?? 0);
  }

  private forget(oldest: number): void {
    for (const days of [this.rows, this.attempts]) for (const day of days.keys()) if (day < oldest) days.delete(day);
    for (const [coin, spans] of this.covered) {
      const left = spans.filter(({ until }) => until > oldest);
      if (left.length === 0) this.covered.delete(coin);
      else if (left.length < spans.length) this.covered.set(coin, left);
    }
  }
}

function entryOf<T>(entries: Map<number, T>, day: number, create: () => T): T {
  let entry = entries.get(day);
  if (!entry) {
    entry = create();
    entries.set(day, entry);
  }
  return entry;
}

/** Start of the last day that ended before a time. */
function lastEndedDay(time: number): number {
  return Math.floor(time / DAY_MS) * DAY_MS - DAY_MS;
}
