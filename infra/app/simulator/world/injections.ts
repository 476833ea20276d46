import { ANOMALY_KINDS, type AnomalyKind } from '#schemas/topics/anomalies';
import { hashOf, STREAM } from './hash.ts';
import type { QuestionSlot } from './question-slots.ts';
import { termAt } from './question-slots.ts';
import { LONGEST_DELAY_MS } from './questions.ts';
import type { Schedule } from './schedule.ts';
import { MINUTE_MS } from './time.ts';

/** An anomaly that is injected into one market. */
export interface Injection {
  /** The kind of anomaly that a detector should report. */
  readonly kind: AnomalyKind;
  /** `wallet_burst` and `settlement_delay` only on venue_b. */
  readonly venue: 'venue_a' | 'venue_b';
  /** Slot of the venue; the question that is live in it at `atMs` is affected. */
  readonly slot: number;
  /** Unix ms. It happens with the first suitable event of the market at or after this time. */
  readonly atMs: number;
}

/** An injection with its actual time. */
export interface Injected extends Injection {
  /** Actual time, unix ms; for a delayed settlement, the question's expiry plus the delay. */
  readonly happensAtMs: number;
}

/** Thrown for an injection that is not possible. */
export class InjectionError extends Error {
  override name = 'InjectionError';
  readonly code = 'simulator_injection';
  readonly canRetry = false;
}

/** `<kind>@<venue>:<slot>@<ISO-8601 time with Z>`, such as `wallet_burst@venue_b:3@2026-03-01T10:00:00Z`. */
const WRITTEN = new RegExp(
  `^(${ANOMALY_KINDS.join('|')})@(venue_a|venue_b):(\\d{1,5})@(\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d{3})?Z)$`,
);

/** Parses an injection of a command line; null if it is invalid. */
export function readInjection(written: string): Injection | null {
  const [, kind, venue, slot, at] = WRITTEN.exec(written) ?? [];
  const atMs = Date.parse(at ?? '');
  if (Number.isNaN(atMs)) return null;
  return { kind: kind as AnomalyKind, venue: venue as Injection['venue'], slot: Number(slot), atMs };
}

/** The injections of a world, by event, slot and question. */
export interface Injections {
  readonly all: readonly Injected[];
  /** The anomaly of an event; null for none. */
  ofEvent(event: number): AnomalyKind | null;
  /** True if the book of a slot has a widened spread at this time. */
  isWide(venue: 'venue_a' | 'venue_b', slot: number, atMs: number): boolean;
  /** Injected delay of a question's settlement, ms. */
  delayOf(slot: QuestionSlot, generation: number): number;
}

/** Number of maker orders that the taker of a burst matches. Each is a fill of one wallet. */
export const BURST_LEGS = 20;
/** Half the spread of a widened book, as a price. */
export const WIDE_HALF = 0.15;
/** Least deviations by which a spike exceeds a minute's usual volume. */
const SPIKE_DEVIATIONS = 16;

/** Shares of a spike: far above a minute with `perMinute` trades of `mean` shares with this deviation. */
export function spikeShares(perMinute: number, mean: number, deviation: number): number {
  return Math.ceil(
    perMinute * mean + SPIKE_DEVIATIONS * Math.hypot(mean, deviation) * Math.sqrt(Math.max(1, perMinute)),
  );
}

/** Delay of an injected settlement delay: two and a half to three hours, where minutes are usual. */
function delayMs(seed: number, slot: number, generation: number): number {
  return LONGEST_DELAY_MS - (hashOf(seed, STREAM.settlementPlan, generation * 65_536 + slot, 64) % 30) * MINUTE_MS;
}

/** The schedule, slots and series of a world, for placing injections. */
export interface InjectionSeries {
  readonly schedule: Schedule;
  readonly slots: Readonly<Record<'venue_a' | 'venue_b', readonly QuestionSlot[]>>;
  seriesOf(kind: 'outcome_book' | 'outcome_trade' | 'question', index: number): number;
}

/** Chooses the events for injections, a function of seed, injections and time. */
export function placeInjections(seed: number, wanted: readonly Injection[], allSeries: InjectionSeries): Injections {
  const { schedule, slots } = allSeries;
  const events = new Map<number, AnomalyKind>();
  const wide = new Set<string>();
  const delays = new Map<string, number>();
  const all: Injected[] = [];

  /** The first event of a series at or after a time whose version is suitable. */
  const firstEvent = (series: number, atMs: number, fits: (version: number) => boolean): number => {
    let version = schedule.versionAt(series, atMs) + 1;
    while (!fits(version)) version += 1;
    return schedule.eventOf(series, version);
  };
  for (const injection of wanted) {
    const { kind, venue, slot: index, atMs } = injection;
    const slot = slots[venue][index];
    if (!slot) throw new InjectionError(`${venue} has no slot ${index}`);
    if (kind === 'settlement_delay') {
      if (venue === 'venue_a') throw new InjectionError('settlement_delay is only possible on venue_b');
      const { generation, expiresAtMs } = termAt(slot, atMs);
      delays.set(`${index} ${generation}`, delayMs(seed, index, generation));
      all.push({ ...injection, happensAtMs: expiresAtMs + delayMs(seed, index, generation) });
      continue;
    }
    if (kind === 'wallet_burst' && venue === 'venue_a')
      throw new InjectionError('wallet_burst is only possible on venue_b');
    const isSpread = kind === 'spread_widening';
    const series =
      venue === 'venue_b'
        ? allSeries.seriesOf('question', index)
        : allSeries.seriesOf(isSpread ? 'outcome_book' : 'outcome_trade', index * 2);
    // Even versions are never matches, odd ones may be.
    const event = firstEvent(series, atMs, (version) => venue === 'venue_a' || (version % 2 === 0) === isSpread);
    const happensAtMs = schedule.timeOf(event);
    if (isSpread) wide.add(wideKey(venue, index, happensAtMs));
    else events.set(event, kind);
    all.push({ ...injection, happensAtMs });
  }
  return {
    all,
    ofEvent: (event) => events.get(event) ?? null,
    isWide: (venue, slot, atMs) => wide.has(wideKey(venue, slot, atMs)),
    delayOf: ({ index }, generation) => delays.get(`${index} ${generation}`) ?? 0,
  };
}

/** A widened book stays wide until the end of the minute. */
function wideKey(venue: string, slot: number, atMs: number): string {
  return `${venue} ${slot} ${Math.floor(atMs / MINUTE_MS)}`;
}
