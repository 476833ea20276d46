/**
 * The figures of a UTC day from its 5-minute buckets (contract, "Daily, leaderboard"). Each bucket is selected like that
 * of a candle, without the bars of an exchange.
 */
import { type Decimal, multiply, ZERO } from '../decimal.ts';
import { type Bar, concatenate } from './bars.ts';
import { type InstrumentBars, selectBars } from './select.ts';
import { INTERVALS, ownRulesOf } from './sources.ts';

export const DAY_MS = INTERVALS['1d'];
/** Length of the buckets. */
export const BUCKET_MS = INTERVALS['5m'];

/** Consecutive buckets of a day, joined. */
export interface DayPart {
  /** Start of the first bucket and end of the last one, unix ms. */
  readonly from: number;
  readonly until: number;
  /** Null if nothing was traded. */
  readonly bar: Bar | null;
  /** Which of the day's buckets have a bar in it: bit n of the nth one. */
  readonly traded: bigint;
  /** Sum of close × volume of these bars. */
  readonly amount: Decimal;
}

/** The bit of the bucket of its UTC day that contains a time. */
export function bucketBit(time: number): bigint {
  return 1n << BigInt(Math.floor((time % DAY_MS) / BUCKET_MS));
}

/** Number of buckets in a set of bits. */
export function countBuckets(bits: bigint): number {
  return bits.toString(2).replaceAll('0', '').length;
}

/** What is known of a market: its bars and ranges, and the buckets that are joined already. */
export interface KnownDay extends Pick<InstrumentBars, 'bars' | 'ranges'> {
  readonly provider: string;
  /** Sorted and disjoint; every bucket of them is complete. */
  readonly parts: readonly DayPart[];
  /** Other joined buckets, which lack a trade. */
  readonly missed: readonly DayPart[];
}

export interface DayTotal {
  readonly total: DayPart;
  /** True if each bucket is complete in a source. */
  readonly isComplete: boolean;
}

/** Joins all buckets of the day that starts at a time. */
export function totalOfDay(known: KnownDay, day: number): DayTotal {
  const parts: DayPart[] = [];
  let isDayComplete = true;
  for (const { part, isComplete } of selectParts(known, day, day + DAY_MS)) {
    parts.push(part);
    isDayComplete &&= isComplete;
  }
  return { total: joinParts(parts), isComplete: isDayComplete };
}

/** Joins the buckets before a time that are complete with the parts that are joined already. Returns the new parts. */
export function joinComplete(known: KnownDay, day: number, until: number): DayPart[] {
  const runs: DayPart[][] = [];
  for (const { part, isComplete } of selectParts(known, day, until)) {
    if (!isComplete) continue;
    const run = runs.at(-1);
    if (run && run.at(-1)!.until === part.from) run.push(part);
    else runs.push([part]);
  }
  return runs.map(joinParts);
}

interface SelectedPart {
  readonly part: DayPart;
  readonly isComplete: boolean;
}

/** The parts that are joined already, and each other bucket, in order of time. */
function* selectParts(
  { provider, bars, ranges, parts, missed }: KnownDay,
  from: number,
  until: number,
): Generator<SelectedPart> {
  const rules = ownRulesOf(provider);
  const { select } = selectBars({ rules, bars, ranges, stepMs: BUCKET_MS, now: Number.POSITIVE_INFINITY });
  const joined = new Map<number, SelectedPart>([
    ...parts.map((part): [number, SelectedPart] => [part.from, { part, isComplete: true }]),
    ...missed.map((part): [number, SelectedPart] => [part.from, { part, isComplete: false }]),
  ]);
  for (let bucket = from; bucket < until; ) {
    const known = joined.get(bucket);
    if (known) {
      yield known;
      bucket = known.part.until;
    } else {
      const { source, bar } = select(bucket);
      yield { part: partOf(bucket, bar), isComplete: source !== null };
      bucket += BUCKET_MS;
    }
  }
}

function partOf(from: number, bar: Bar | undefined): DayPart {
  const until = from + BUCKET_MS;
  if (!bar) return { from, until, bar: null, traded: 0n, amount: ZERO };
  return { from, until, bar, traded: bucketBit(from), amount: multiply(bar.close, bar.volume) };
}

/** Joins parts of consecutive times, at least one, the oldest first. */
function joinParts(parts: readonly DayPart[]): DayPart {
  const bar = concatenate(parts.flatMap((part) => part.bar ?? [])) ?? null;
  let traded = 0n;
  let amount = ZERO;
  for (const part of parts) {
    traded |= part.traded;
    amount = (amount + part.amount) as Decimal;
  }
  return { from: parts[0]!.from, until: parts.at(-1)!.until, bar, traded, amount };
}
