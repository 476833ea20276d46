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
 * The book of a venue_b market in YES terms, best levels first. The NO book is its mirror image: a YES bid at p is a NO
 * ask at 1 - p of the same size (venue page, section 3).
 */
export interface QuestionBook {
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
  /** Smallest price step in thousandths: 10, or 1 near 0 and 1. */
  readonly tick: number;
}

const QUESTION_DEPTH = 20;
const ONE = 1_000;
const SPREAD_TERM = 24;
/** One more than the most levels that a match fills. */
const MAX_TAKEN = 4;
/** Interval at which the price step is calculated, so that it does not flip at a border. */
const TICK_TERM_MS = 10 * MINUTE_MS;

/** Smallest price step at a time: a hundredth, or a thousandth if the price is above 0.96 or below 0.04. */
export function tickAt(seed: number, question: Question, atMs: number): number {
  const decidedAt = Math.max(question.listedAtMs, Math.floor(atMs / TICK_TERM_MS) * TICK_TERM_MS);
  const chance = yesProbability(seed, question, decidedAt);
  return chance > 0.96 || chance < 0.04 ? 1 : 10;
}

/** Price of YES, which on an inverse market means "below". */
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
    // Sizes depend on prices, and each version changes one of the forty levels, so that an update changes a level or
    // two.
    const turn = ((price / tick) % QUESTION_DEPTH) * 2 + isAsk;
    const age = Math.floor((version + turn) / (2 * QUESTION_DEPTH));
    const chance = hashOf(seed, STREAM.questionLevel, slot * ONE + price, age * direction);
    // Some levels are empty, but not where a match could widen the spread by that.
    if (nth > MAX_TAKEN && chance % 9 === 0) continue;
    const thin = (chance & 15) === 1 ? 0.08 : 1;
    levels.push({ price, size: Math.round((6_000 + ((chance >>> 8) % 60_000)) * thin * (1 + nth / 5)) });
  }
  return levels;
}

/** The book in a version that appeared at `atMs`, before any match. */
export function quotedBook(
  seed: number,
  question: Question,
  version: number,
  atMs: number,
  isWide = false,
): QuestionBook {
  const tick = tickAt(seed, question, atMs);
  // The spread is constant for some versions; otherwise most updates would only move the best prices.
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

/** New total of a level; size 0 removes it. */
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

/** Changes from one book to another, removals first. */
export function bookChanges(before: QuestionBook, after: QuestionBook): LevelChange[] {
  const changes = [...sideChanges(before.bids, after.bids, true), ...sideChanges(before.asks, after.asks, false)];
  // With removals first, a client that applies level by level never has a crossed book.
  return [...changes.filter((change) => change.size === 0), ...changes.filter((change) => change.size > 0)];
}
