import type { Asset } from './coins.ts';
import { hashOf, STREAM } from './hash.ts';
import { plainText } from './number-text.ts';
import { priceAt } from './prices.ts';
import { type QuestionSlot, type Term, termAt, termOf } from './question-slots.ts';
import { DAY_MS, SECOND_MS } from './time.ts';

/** One price question as one venue lists it. */
export interface Question extends Term {
  readonly slot: QuestionSlot;
  readonly asset: Asset;
  /** Plain decimal text and the same as a number. */
  readonly thresholdText: string;
  readonly threshold: number;
  /** When the venue tells the result, unix ms. */
  readonly settledAtMs: number;
}

/** Delays between expiry and result: seconds on venue_a, 16 to 60 s on venue_b's chain (venue page, section 8). */
function settlementDelayMs(seed: number, slot: QuestionSlot, generation: number): number {
  const chance = hashOf(seed, STREAM.settlement, generation * 65_536 + slot.index, slot.venue === 'venue_a' ? 0 : 1);
  return (slot.venue === 'venue_a' ? 2 + (chance % 7) : 16 + (chance % 45)) * SECOND_MS;
}
/** No result comes later than this after the expiry. */
export const LONGEST_SETTLEMENT_MS = 60 * SECOND_MS;

/** The threshold of the slot's grid next to the price at listing, in units of the grid's decimals. */
function thresholdUnits(seed: number, asset: Asset, slot: QuestionSlot, listedAtMs: number): number {
  const { step, decimals, stride, offset } = slot.grid;
  // A near miss by a day looks at the price of its twin's listing, so that the thresholds agree.
  const reference = priceAt(seed, asset, listedAtMs - (slot.miss === 'day' ? DAY_MS : 0)) * 10 ** decimals;
  const place = offset + slot.ordinal;
  const turns = Math.round((reference / step - place) / stride) + (slot.miss === 'threshold' ? 1 : 0);
  return (turns * stride + place) * step;
}

/** The question of a slot in one generation. */
export function makeQuestion(seed: number, asset: Asset, slot: QuestionSlot, term: Term): Question {
  const units = thresholdUnits(seed, asset, slot, term.listedAtMs);
  const thresholdText = plainText(units, slot.grid.decimals);
  return {
    ...term,
    slot,
    asset,
    thresholdText,
    threshold: Number(thresholdText),
    settledAtMs: term.expiresAtMs + settlementDelayMs(seed, slot, term.generation),
  };
}

/** Whether the price stood at or above the threshold at expiry. */
export function resolvesAbove(seed: number, question: Question): boolean {
  return priceAt(seed, question.asset, question.expiresAtMs) >= question.threshold;
}

const REMEMBERED_GENERATIONS = 6;

/** The questions of one venue over time, remembered as long as they are live. */
export interface QuestionBoard {
  readonly slots: readonly QuestionSlot[];
  /** The question listed in a slot at a moment. */
  liveIn(slot: number, atMs: number): Question;
  /** The question of a slot `back` generations before the live one. */
  earlier(slot: number, atMs: number, back: number): Question;
  /** A question by slot and generation. */
  byGeneration(slot: number, generation: number): Question;
  /** Questions that expire at this whole hour; no question expires at another time. */
  expiringAt(hourMs: number): readonly Question[];
}

export function createQuestionBoard(
  seed: number,
  coins: readonly Asset[],
  slots: readonly QuestionSlot[],
): QuestionBoard {
  const live: (Question | undefined)[] = slots.map(() => undefined);
  let expiring: { hourMs: number; questions: readonly Question[] } | null = null;
  const remembered = slots.map(() => new Map<number, Question>());
  const make = (slot: QuestionSlot, term: Term): Question => {
    const known = remembered[slot.index]!;
    let question = known.get(term.generation);
    if (!question) {
      question = makeQuestion(seed, coins[slot.coin]!, slot, term);
      // One object per question while it is in use: ids and books are remembered by it.
      if (known.size >= REMEMBERED_GENERATIONS) known.delete(known.keys().next().value!);
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
  return {
    slots,
    liveIn,
    byGeneration,
    earlier: (index, atMs, back) => byGeneration(index, liveIn(index, atMs).generation - back),
    expiringAt(hourMs) {
      if (expiring?.hourMs !== hourMs) {
        const questions = slots
          .map((slot) => make(slot, termAt(slot, hourMs - 1)))
          .filter((question) => question.expiresAtMs === hourMs);
        expiring = { hourMs, questions };
      }
      return expiring.questions;
    },
  };
}
