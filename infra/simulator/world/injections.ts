import { ANOMALY_KINDS, type AnomalyKind } from '#schemas/topics/anomalies';
import { hashOf, STREAM } from './hash.ts';
import type { QuestionSlot } from './question-slots.ts';
import { termAt } from './question-slots.ts';
import { LONGEST_DELAY_MS } from './questions.ts';
import type { Schedule } from './schedule.ts';
import { MINUTE_MS } from './time.ts';

/** Something out of the ordinary that is to happen to one market. */
export interface Injection {
  /** The detector that is to find it. */
  readonly kind: AnomalyKind;
  /** `wallet_burst` and `settlement_delay`: venue_b alone. */
  readonly venue: 'venue_a' | 'venue_b';
  /** The question live in this slot of the venue at `atMs`. */
  readonly slot: number;
  /** Unix ms: it happens with the first event of the market from then on that can carry it. */
  readonly atMs: number;
}

/** An injection in its place. */
export interface Injected extends Injection {
  /** When it really happens; a delayed settlement counts from the question's expiry. */
  readonly happensAtMs: number;
}

/** Thrown for an injection that the world cannot carry. */
export class InjectionError extends Error {
  override name = 'InjectionError';
  readonly code = 'simulator_injection';
  readonly canRetry = false;
}

/** `<kind>@<venue>:<slot>@<ISO-8601 time with Z>`, as `wallet_burst@venue_b:3@2026-03-01T10:00:00Z`. */
const WRITTEN = new RegExp(
  `^(${ANOMALY_KINDS.join('|')})@(venue_a|venue_b):(\\d{1,5})@(\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d{3})?Z)$`,
);

/** Reads an injection as a command line gives it; null when it is none. */
export function readInjection(written: string): Injection | null {
  const [, kind, venue, slot, at] = WRITTEN.exec(written) ?? [];
  const atMs = Date.parse(at ?? '');
  if (Number.isNaN(atMs)) return null;
  return { kind: kind as AnomalyKind, venue: venue as Injection['venue'], slot: Number(slot), atMs };
}

/** What is put in, as the world's parts ask for it. */
export interface Injections {
  readonly all: readonly Injected[];
  /** What this event is made into. */
  ofEvent(event: number): AnomalyKind | null;
  /** Whether the book of a venue_b slot, or of a venue_a one, is wide in the version of this moment. */
  isWide(venue: 'venue_a' | 'venue_b', slot: number, atMs: number): boolean;
  /** How much later than it would be a question's result comes, ms. */
  delayOf(slot: QuestionSlot, generation: number): number;
}

/** Makers' orders that the taker of a burst meets: each is a fill of one wallet. */
export const BURST_LEGS = 20;
/** Half of the spread of a widened book, as a price. */
export const WIDE_HALF = 0.15;
/** Deviations above a minute's usual volume that a spike is, at the least. */
const SPIKE_DEVIATIONS = 16;

/** Shares of a spike: far beyond a minute that has `perMinute` trades of `mean` shares with this deviation. */
export function spikeShares(perMinute: number, mean: number, deviation: number): number {
  return Math.ceil(
    perMinute * mean + SPIKE_DEVIATIONS * Math.hypot(mean, deviation) * Math.sqrt(Math.max(1, perMinute)),
  );
}

/** How late a delayed settlement comes: two and a half to three hours, where minutes are usual. */
function delayMs(seed: number, slot: number, generation: number): number {
  return LONGEST_DELAY_MS - (hashOf(seed, STREAM.story, generation * 65_536 + slot, 64) % 30) * MINUTE_MS;
}

/** The lanes by which markets are found. */
export interface InjectionSeries {
  readonly schedule: Schedule;
  readonly slots: Readonly<Record<'venue_a' | 'venue_b', readonly QuestionSlot[]>>;
  seriesOf(kind: 'outcome_book' | 'outcome_trade' | 'question', index: number): number;
}

/** Finds the events that carry the injections: a function of seed, injections and time. */
export function placeInjections(seed: number, wanted: readonly Injection[], lanes: InjectionSeries): Injections {
  const { schedule, slots } = lanes;
  const events = new Map<number, AnomalyKind>();
  const wide = new Set<string>();
  const delays = new Map<string, number>();
  const all: Injected[] = [];

  /** The first event of a lane from a moment on whose version will do. */
  const firstEvent = (lane: number, atMs: number, fits: (version: number) => boolean): number => {
    let version = schedule.versionAt(lane, atMs) + 1;
    while (!fits(version)) version += 1;
    return schedule.eventOf(lane, version);
  };
  for (const injection of wanted) {
    const { kind, venue, slot: index, atMs } = injection;
    const slot = slots[venue][index];
    if (!slot) throw new InjectionError(`${venue} has no slot ${index}`);
    if (kind === 'settlement_delay') {
      if (venue === 'venue_a') throw new InjectionError('only settlements of venue_b can be delayed');
      const { generation, expiresAtMs } = termAt(slot, atMs);
      delays.set(`${index} ${generation}`, delayMs(seed, index, generation));
      all.push({ ...injection, happensAtMs: expiresAtMs + delayMs(seed, index, generation) });
      continue;
    }
    if (kind === 'wallet_burst' && venue === 'venue_a') throw new InjectionError('only wallets of venue_b burst');
    const isSpread = kind === 'spread_widening';
    const lane =
      venue === 'venue_b'
        ? lanes.seriesOf('question', index)
        : lanes.seriesOf(isSpread ? 'outcome_book' : 'outcome_trade', index * 2);
    // Versions with an even number are never matches, those with an odd one may be.
    const event = firstEvent(lane, atMs, (version) => venue === 'venue_a' || (version % 2 === 0) === isSpread);
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

/** A book is wide for as long as the minute lasts in which it was widened. */
function wideKey(venue: string, slot: number, atMs: number): string {
  return `${venue} ${slot} ${Math.floor(atMs / MINUTE_MS)}`;
}
