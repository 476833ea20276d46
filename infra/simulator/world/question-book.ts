import { hashOf, STREAM } from './hash.ts';
import { WIDE_HALF } from './injections.ts';
import type { Question } from './questions.ts';
import { quotedProbability } from './quotes.ts';
import { MINUTE_MS } from './time.ts';

/** Prices in thousandths of a dollar, sizes in hundredths of a share. */
export interface BookLevel {
  readonly price: number;
  readonly size: number;
}

/**
 * The book of a venue_b market, seen from YES; best levels first. The NO book is its mirror image: a YES bid at p is a
 * NO ask at 1 - p of the same size (venue page, section 3).
 */
export interface QuestionBook {
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
  /** Smallest step of a price, thousandths: 10, or 1 near the ends. */
  readonly tick: number;
}

export const QUESTION_DEPTH = 20;
const ONE = 1_000;
const SPREAD_TERM = 24;
/** Levels that a match takes at most, and one more. */
const MAX_TAKEN = 4;
/** The step is decided this often, so that it does not flutter when the price stands at a border. */
const TICK_TERM_MS = 10 * MINUTE_MS;

/** Smallest price step at a moment: a hundredth, but a thousandth where the price is past 0.96 or 0.04. */
export function tickAt(seed: number, question: Question, atMs: number): number {
  const decidedAt = Math.max(question.listedAtMs, Math.floor(atMs / TICK_TERM_MS) * TICK_TERM_MS);
  const chance = yesProbability(seed, question, decidedAt);
  return chance > 0.96 || chance < 0.04 ? 1 : 10;
}

/** What YES is worth: on an inverse market YES is "below". */
export function yesProbability(seed: number, question: Question, atMs: number): number {
  const above = quotedProbability(seed, question, atMs);
  return question.slot.inverse ? 1 - above : above;
}

function side(
  seed: number,
  slot: number,
  version: number,
  start: number,
  direction: 1 | -1,
  tick: number,
): BookLevel[] {
  const levels: BookLevel[] = [];
  const isAsk = direction === 1 ? 1 : 0;
  for (let nth = 0; nth < QUESTION_DEPTH; nth += 1) {
    const price = start + direction * nth * tick;
    if (price < tick || price > ONE - tick) break;
    // Sizes belong to prices, and each version one level of the forty is drawn anew: an update changes a level or two.
    const turn = ((price / tick) % QUESTION_DEPTH) * 2 + isAsk;
    const age = Math.floor((version + turn) / (2 * QUESTION_DEPTH));
    const chance = hashOf(seed, STREAM.questionLevel, slot * ONE + price, age * direction);
    // Now and then a level is empty, but not where a match could open the spread by it.
    if (nth > MAX_TAKEN && chance % 9 === 0) continue;
    const thin = (chance & 15) === 1 ? 0.08 : 1;
    levels.push({ price, size: Math.round((6_000 + ((chance >>> 8) % 60_000)) * thin * (1 + nth / 5)) });
  }
  return levels;
}

/** The book as its makers set it in a version that appeared at `atMs`, before any match took from it. */
export function quotedBook(
  seed: number,
  question: Question,
  version: number,
  atMs: number,
  isWide = false,
): QuestionBook {
  const tick = tickAt(seed, question, atMs);
  // The spread is kept for some versions, or most updates would do nothing but move the best prices to and fro.
  const chance = hashOf(seed, STREAM.questionTop, Math.floor(version / SPREAD_TERM), question.slot.index);
  const mid = yesProbability(seed, question, atMs) * ONE;
  const usual = tick === 1 ? 1 + (chance % 3) : 2 + (chance % 5);
  const half = isWide ? WIDE_HALF * ONE : usual;
  const bid = Math.max(tick, Math.min(ONE - 2 * tick, Math.floor((mid - half) / tick) * tick));
  const ask = Math.max(bid + tick, Math.min(ONE - tick, Math.ceil((mid + half) / tick) * tick));
  const { index } = question.slot;
  return {
    tick,
    bids: side(seed, index, version, bid, -1, tick),
    asks: side(seed, index, version, ask, 1, tick),
  };
}

/** One level's new total; size 0 removes it. */
export interface LevelChange extends BookLevel {
  readonly isBid: boolean;
}

function sideChanges(before: readonly BookLevel[], after: readonly BookLevel[], isBid: boolean): LevelChange[] {
  const changes: LevelChange[] = [];
  let old = 0;
  for (const level of after) {
    while (old < before.length && isBetter(before[old]!.price, level.price, isBid)) {
      changes.push({ price: before[old]!.price, size: 0, isBid });
      old += 1;
    }
    const same = before[old];
    if (same?.price === level.price) {
      if (same.size !== level.size) changes.push({ ...level, isBid });
      old += 1;
    } else changes.push({ ...level, isBid });
  }
  for (; old < before.length; old += 1) changes.push({ price: before[old]!.price, size: 0, isBid });
  return changes;
}

function isBetter(price: number, than: number, isBid: boolean): boolean {
  return isBid ? price > than : price < than;
}

/** What turns one book into the other; removals stand before what takes their place. */
export function bookChanges(before: QuestionBook, after: QuestionBook): LevelChange[] {
  const changes = [...sideChanges(before.bids, after.bids, true), ...sideChanges(before.asks, after.asks, false)];
  // Removals first: whoever applies level by level never sees a crossed book.
  return [...changes.filter((change) => change.size === 0), ...changes.filter((change) => change.size > 0)];
}
