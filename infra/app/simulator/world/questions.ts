import { LRUCache } from 'lru-cache';
import type { Asset } from './coins.ts';
import { hashOf, STREAM } from './hash.ts';
import { plainText } from './number-text.ts';
import { priceAt } from './prices.ts';
import { type QuestionSlot, type Term, termAt, termOf } from './question-slots.ts';
import { delayPlan, LONGEST_SETTLEMENT_MS, type SettlementPlan, settlementPlanOf } from './settlement-plan.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from './time.ts';

/** A price question of one venue. */
export interface Question extends Term {
  readonly slot: QuestionSlot;
  readonly asset: Asset;
  /** Threshold as plain decimal text, and as a number. */
  readonly thresholdText: string;
  readonly threshold: number;
  /** Time at which the venue publishes the result, unix ms. */
  readonly settledAtMs: number;
  /** Steps of a venue_b settlement; null on venue_a, which publishes the result within seconds. */
  readonly settlementPlan: SettlementPlan | null;
}

/** Delay between expiry and result on venue_a, ms. */
function venueADelayMs(seed: number, slot: QuestionSlot, generation: number): number {
  return (2 + (hashOf(seed, STREAM.settlement, generation * 65_536 + slot.index, 0) % 7)) * SECOND_MS;
}

/** Returns the injected delay of a question's settlement, ms. */
export type DelayOf = (slot: QuestionSlot, generation: number) => number;
/** Longest injected delay of a settlement. */
export const LONGEST_DELAY_MS = 3 * HOUR_MS;
/** Whole hours after an expiry in which settlement steps can happen. */
export const HOURS_TO_SETTLE = Math.ceil((LONGEST_SETTLEMENT_MS + LONGEST_DELAY_MS) / HOUR_MS);

/** The threshold on the slot's grid that is closest to the price at listing, in units of the grid's decimals. */
function thresholdUnits(seed: number, asset: Asset, slot: QuestionSlot, listedAtMs: number): number {
  const { step, decimals, stride, offset } = slot.grid;
  // A near miss by a day uses the price at its pair's listing, so that the thresholds are equal.
  const reference = priceAt(seed, asset, listedAtMs - (slot.miss === 'day' ? DAY_MS : 0)) * 10 ** decimals;
  const place = offset + slot.ordinal;
  const turns = Math.round((reference / step - place) / stride) + (slot.miss === 'threshold' ? 1 : 0);
  return (turns * stride + place) * step;
}

/** Creates the question of a generation of a slot. */
function makeQuestion(
  seed: number,
  asset: Asset,
  slot: QuestionSlot,
  term: Term,
  delayOf: DelayOf | null = null,
): Question {
  const units = thresholdUnits(seed, asset, slot, term.listedAtMs);
  const thresholdText = plainText(units, slot.grid.decimals);
  const plan = slot.venue === 'venue_a' ? null : settlementPlanOf(seed, slot, term.generation, term.expiresAtMs);
  const delayMs = delayOf?.(slot, term.generation) ?? 0;
  const settledAtMs = plan?.resolvedAtMs ?? term.expiresAtMs + venueADelayMs(seed, slot, term.generation);
  return {
    ...term,
    slot,
    asset,
    thresholdText,
    threshold: Number(thresholdText),
    settledAtMs: settledAtMs + delayMs,
    settlementPlan: plan && delayMs > 0 ? delayPlan(plan, delayMs) : plan,
  };
}

/** True if the price was at or above the threshold at expiry. */
export function resolvesAbove(seed: number, question: Question): boolean {
  return priceAt(seed, question.asset, question.expiresAtMs) >= question.threshold;
}

/** More than are used at a time: the live one, the next, and those being settled. */
const CACHED_GENERATIONS = 3 + HOURS_TO_SETTLE;
/** Number of hours whose expiring questions and results are cached. */
const CACHED_HOURS = 4 * (HOURS_TO_SETTLE + 1);

/** The questions of one venue over time, cached while they are live. */
export interface QuestionBoard {
  readonly slots: readonly QuestionSlot[];
  /** The live question of a slot at a time. */
  liveIn(slot: number, atMs: number): Question;
  /** The question of a slot `back` generations before the live one. */
  earlier(slot: number, atMs: number, back: number): Question;
  /** The question of a slot with this generation. */
  byGeneration(slot: number, generation: number): Question;
  /** Questions that expire at this hour. All expiries are on the hour. */
  expiringAt(hourMs: number): readonly Question[];
  /** Questions that are listed at this time, each in the slot of one that expires; none except on the hour. */
  createdAt(atMs: number): readonly Question[];
  /** Questions whose result is published in [fromMs, toMs), which must be within one second; in order of slots. */
  settledIn(fromMs: number, toMs: number): readonly Question[];
}

export function createQuestionBoard(
  seed: number,
  coins: readonly Asset[],
  slots: readonly QuestionSlot[],
  delayOf: DelayOf | null = null,
): QuestionBoard {
  const live: (Question | undefined)[] = slots.map(() => undefined);
  const expiring = new LRUCache<number, readonly Question[]>({ max: CACHED_HOURS });
  const settled = new LRUCache<number, ReadonlyMap<number, Question[]>>({ max: CACHED_HOURS });
  const cached = slots.map(() => new Map<number, Question>());
  const make = (slot: QuestionSlot, term: Term): Question => {
    const known = cached[slot.index]!;
    let question = known.get(term.generation);
    if (!question) {
      question = makeQuestion(seed, coins[slot.coin]!, slot, term, delayOf);
      // A question must stay the same object while it is in use, since ids and books are cached by it.
      if (known.size >= CACHED_GENERATIONS) known.delete(known.keys().next().value!);
      known.set(term.generation, question);
    }
    return question;
  };
  const liveIn = (index: number, atMs: number): Question => {
    const known = live[index];
    if (known && known.listedAtMs <= atMs && atMs < known.expiresAtMs) return known;
    const slot = slots[index]!;
    const question = make(slot, termAt(slot, atMs));
    live[index] = question;
    return question;
  };
  const byGeneration = (index: number, generation: number) => make(slots[index]!, termOf(slots[index]!, generation));
  const expiringAt = (hourMs: number): readonly Question[] => {
    let questions = expiring.get(hourMs);
    if (!questions) {
      questions = slots
        .map((slot) => make(slot, termAt(slot, hourMs - 1)))
        .filter((question) => question.expiresAtMs === hourMs);
      expiring.set(hourMs, questions);
    }
    return questions;
  };
  /** Questions that expired at an hour, by the second of their result. */
  const resultsOf = (hourMs: number): ReadonlyMap<number, Question[]> => {
    let bySecond = settled.get(hourMs);
    if (!bySecond) {
      const found = new Map<number, Question[]>();
      for (const question of expiringAt(hourMs)) {
        const second = Math.floor(question.settledAtMs / SECOND_MS);
        found.set(second, [...(found.get(second) ?? []), question]);
      }
      bySecond = found;
      settled.set(hourMs, bySecond);
    }
    return bySecond;
  };
  return {
    slots,
    liveIn,
    byGeneration,
    earlier: (index, atMs, back) => byGeneration(index, liveIn(index, atMs).generation - back),
    expiringAt,
    createdAt: (atMs) => (atMs % HOUR_MS === 0 ? expiringAt(atMs).map(({ slot }) => liveIn(slot.index, atMs)) : []),
    settledIn(fromMs, toMs) {
      const second = Math.floor(fromMs / SECOND_MS);
      const hourMs = Math.floor(fromMs / HOUR_MS) * HOUR_MS;
      const found: Question[] = [];
      for (let back = 0; back <= HOURS_TO_SETTLE; back += 1) {
        for (const question of resultsOf(hourMs - back * HOUR_MS).get(second) ?? []) {
          if (question.settledAtMs >= fromMs && question.settledAtMs < toMs) found.push(question);
        }
      }
      return found;
    },
  };
}
