import type { Asset } from './coins.ts';
import { DAY_MS, HOUR_MS, newYorkNoon } from './time.ts';

/**
 * Questions are organised in slots. A slot always has exactly one live question; when it expires, the next one is
 * listed in the same minute. So the number of live questions is constant, and the live one can be calculated.
 */
export interface QuestionSlot {
  readonly venue: 'venue_a' | 'venue_b';
  /** Position among the slots of its venue. */
  readonly index: number;
  readonly coin: number;
  /** `daily` questions expire at noon in New York, `hourly` ones on the hour. */
  readonly cadence: 'daily' | 'hourly';
  /** Days or hours from the listing of a question to its expiry. */
  readonly lifetime: number;
  readonly phase: number;
  /** Position of the slot's thresholds on the coin's grid. No two slots of a coin have the same threshold. */
  readonly ordinal: number;
  /** Grid of the coin's thresholds. */
  readonly grid: ThresholdGrid;
  /** Near misses: a threshold one stride higher, or an expiry one day later, than that of the paired slot. */
  readonly miss: 'none' | 'threshold' | 'day';
  /** True if it asks whether the price is below instead of above. */
  readonly inverse: boolean;
  /**
   * Slots of both venues with the same pair ask the same question (or, with a `miss`, a similar one); null for no pair.
   */
  readonly pair: number | null;
}

/** Thresholds of a coin and cadence are `(turns * stride + offset + ordinal) * step` in units of 10^-`decimals`. */
export interface ThresholdGrid {
  readonly step: number;
  readonly decimals: number;
  readonly stride: number;
  readonly offset: number;
}

/** Indices of coins for successive questions, with popular coins more often. */
const COIN_ORDER = [0, 1, 0, 2, 0, 1, 3, 0, 2, 1, 0, 4, 1, 0, 2, 0, 1, 2, 3, 0];
/** Width of the range of a coin's thresholds, as a share of its price. */
const BAND = 0.03;

type Kind = 'paired' | 'only_a' | 'only_b' | 'other_threshold' | 'other_day' | 'inverse';
const EXTRA_KINDS: readonly Kind[] = ['only_a', 'other_threshold', 'only_b', 'other_day', 'inverse'];

interface Plan {
  readonly kind: Kind;
  readonly coin: number;
  readonly cadence: 'daily' | 'hourly';
  readonly lifetime: number;
  readonly phase: number;
  readonly ordinal: number;
}

/** Plans the questions of both venues: `events` paired ones, and additional ones that must not be linked. */
function planQuestions(events: number, coins: number): Plan[] {
  const extras = Math.max(EXTRA_KINDS.length, Math.ceil(events / 5));
  const ordinals = new Map<string, number>();
  return Array.from({ length: events + extras }, (_, number) => {
    const kind = number < events ? 'paired' : EXTRA_KINDS[(number - events) % EXTRA_KINDS.length]!;
    const preferred = COIN_ORDER[number % COIN_ORDER.length]!;
    const coin = preferred < coins ? preferred : preferred % Math.min(coins, 3);
    // Near misses by a day need a lifetime of more than two days to differ from the next question of their pair.
    const cadence = kind !== 'other_day' && number % 4 === 3 ? 'hourly' : 'daily';
    const lifetime = kind === 'other_day' ? 4 : cadence === 'hourly' ? 1 + (number % 3) : 1 + (number % 4);
    const counter = `${coin} ${cadence}`;
    const ordinal = ordinals.get(counter) ?? 0;
    ordinals.set(counter, ordinal + 1);
    return { kind, coin, cadence, lifetime, phase: number % lifetime, ordinal };
  });
}

/** The smallest 1, 2 or 5 times a power of ten that is at least `value`, in units of 10^-`decimals`. */
function niceStep(value: number): { units: number; decimals: number } {
  const exponent = Math.floor(Math.log10(value));
  const lead = value / 10 ** exponent;
  const [digit, shift] = lead <= 1 ? [1, 0] : lead <= 2 ? [2, 0] : lead <= 5 ? [5, 0] : [1, 1];
  const power = exponent + shift;
  return power >= 0 ? { units: digit * 10 ** power, decimals: 0 } : { units: digit, decimals: -power };
}

/**
 * Grids of a coin's daily and hourly thresholds. A daily step is `turn` hourly steps, and hourly thresholds are never
 * on the daily grid, so that daily and hourly questions with the same expiry differ.
 */
function gridsOf(asset: Asset, daily: number, hourly: number): { daily: ThresholdGrid; hourly: ThresholdGrid } {
  const { units, decimals } = niceStep((asset.basePx * BAND) / Math.max(daily, 1));
  const extra = Math.ceil(Math.log10(hourly + 2));
  const turn = 10 ** extra;
  // The finer grid needs more decimals only if the coarse step has too few trailing zeros.
  const borrowed = Math.max(0, extra - trailingZeros(units));
  const scale = 10 ** borrowed;
  return {
    daily: { step: units * scale, decimals: decimals + borrowed, stride: Math.max(daily, 1), offset: 0 },
    hourly: { step: (units * scale) / turn, decimals: decimals + borrowed, stride: turn, offset: 1 },
  };
}

function trailingZeros(units: number): number {
  let zeros = 0;
  for (let rest = units; rest > 0 && rest % 10 === 0; rest /= 10) zeros += 1;
  return zeros;
}

export interface QuestionSlots {
  readonly venueA: readonly QuestionSlot[];
  readonly venueB: readonly QuestionSlot[];
}

/** Creates the slots of both venues: `events` pairs, questions of one venue only, and near misses. */
export function makeQuestionSlots(events: number, coins: readonly Asset[]): QuestionSlots {
  const plans = planQuestions(events, coins.length);
  const count = (coin: number, cadence: string) =>
    plans.reduce((sum, plan) => sum + (plan.coin === coin && plan.cadence === cadence ? 1 : 0), 0);
  const grids = new Map(
    [...new Set(plans.map((plan) => plan.coin))].map((coin) => [
      coin,
      gridsOf(coins[coin]!, count(coin, 'daily'), count(coin, 'hourly')),
    ]),
  );
  const venueA: QuestionSlot[] = [];
  const venueB: QuestionSlot[] = [];
  for (const [pair, { kind, ...plan }] of plans.entries()) {
    const shared = { ...plan, grid: grids.get(plan.coin)![plan.cadence], miss: 'none', inverse: false } as const;
    const onBoth = kind !== 'only_a' && kind !== 'only_b';
    const place = { ...shared, pair: onBoth ? pair : null };
    if (kind !== 'only_b') venueA.push({ ...place, venue: 'venue_a', index: venueA.length });
    if (kind === 'only_a') continue;
    venueB.push({
      ...place,
      venue: 'venue_b',
      index: venueB.length,
      miss: kind === 'other_threshold' ? 'threshold' : kind === 'other_day' ? 'day' : 'none',
      inverse: kind === 'inverse',
    });
  }
  return { venueA, venueB };
}

/** Number of a question in its slot, with its listing and expiry. */
export interface Term {
  /** Number of the question in its slot. */
  readonly generation: number;
  readonly listedAtMs: number;
  readonly expiresAtMs: number;
}

/** Expiry of a generation, unix ms. */
function expiryOf(slot: QuestionSlot, generation: number): number {
  const turn = generation * slot.lifetime + slot.phase;
  if (slot.cadence === 'hourly') return turn * HOUR_MS;
  return newYorkNoon(turn + (slot.miss === 'day' ? 1 : 0));
}

/** Returns a generation of a slot. */
export function termOf(slot: QuestionSlot, generation: number): Term {
  return { generation, listedAtMs: expiryOf(slot, generation - 1), expiresAtMs: expiryOf(slot, generation) };
}

/** The live generation at a time: listed at or before it, and expiring after it. */
export function termAt(slot: QuestionSlot, atMs: number): Term {
  const unit = slot.cadence === 'hourly' ? HOUR_MS : DAY_MS;
  let generation = Math.floor((Math.floor(atMs / unit) - slot.phase) / slot.lifetime) - 1;
  while (expiryOf(slot, generation) <= atMs) generation += 1;
  return termOf(slot, generation);
}
