import type { AnomalyKind } from '#schemas/topics/anomalies';
import { boundedSize, hashOf, STREAM } from './hash.ts';
import { BURST_LEGS } from './injections.ts';
import type { BookLevel, QuestionBook } from './question-book.ts';

/** How a maker order is matched with the taker order (venue page, section 7). */
export type MatchKind = 'complementary' | 'mint' | 'merge';

/** The part of one maker order in a match, from the taker's view. */
export interface MatchLeg {
  readonly kind: MatchKind;
  /** Thousandths of a dollar on the taker's token. */
  readonly price: number;
  /** Hundredths of a share. */
  readonly size: number;
  /** Hash from which the maker's account is derived. */
  readonly chance: number;
}

/** A taker order that is matched with one or more maker orders in one transaction. */
export interface Match {
  /** Number of the event: the identity of the match. */
  readonly event: number;
  readonly slot: number;
  /** Index of the taker's token: 0 is YES, 1 is NO. */
  readonly token: 0 | 1;
  readonly isTakerBuy: boolean;
  readonly legs: readonly MatchLeg[];
  readonly timeMs: number;
  readonly chance: number;
}

const MAX_LEGS = 3;
/** Mean and deviation of the shares of a taker order, which are 5 to 305, mostly small or large (`boundedSize`). */
export const MATCH_SHARES = { mean: 155, deviation: 104 } as const;

/** Hashes of the accounts of an event's match: of the taker, then of as many makers as it can have. */
export function accountChances(seed: number, event: number): readonly number[] {
  return Array.from({ length: 1 + MAX_LEGS }, (_, nth) => hashOf(seed, STREAM.match, event, 1 + nth));
}

/**
 * True if a version is a match. Two successive versions are never both matches, so each can be computed from the
 * previous one.
 */
export function isMatchVersion(seed: number, slot: number, version: number): boolean {
  return version % 2 !== 0 && hashOf(seed, STREAM.match, version, slot) % 3 !== 0;
}

/** Share of a market's versions that are matches: see `isMatchVersion`. */
export const MATCH_SHARE = 1 / 3;

/** The match of an injection: a very large one with one maker, or one with many small makers. */
export function injectedMatch(
  seed: number,
  slot: number,
  event: number,
  timeMs: number,
  book: QuestionBook,
  kind: AnomalyKind,
  shares: number,
): Match {
  const ordinary = makeMatch(seed, slot, event, timeMs, book);
  const { price } = ordinary.legs[0]!;
  const isBurst = kind === 'wallet_burst';
  const legs = Array.from({ length: isBurst ? BURST_LEGS : 1 }, (_, nth): MatchLeg => {
    const chance = hashOf(seed, STREAM.match, event, 2 + nth);
    return { kind: legKind(ordinary.isTakerBuy, chance), price, size: isBurst ? 500 : shares * 100, chance };
  });
  return { ...ordinary, legs };
}

function legKind(isTakerBuy: boolean, chance: number): MatchKind {
  if (chance % 3 !== 0) return 'complementary';
  return isTakerBuy ? 'mint' : 'merge';
}

/** The match of an event against a book. It fills levels of one side, best first. */
export function makeMatch(seed: number, slot: number, event: number, timeMs: number, book: QuestionBook): Match {
  const chance = hashOf(seed, STREAM.match, event, 1);
  const token = (chance & 1) as 0 | 1;
  const isTakerBuy = (chance & 2) !== 0;
  const levels = matchedSide(book, token, isTakerBuy);
  const share = ((chance >>> 2) & 0xffff) / 65_536;
  // Bounded, so that an ordinary minute is never an anomaly.
  let wanted = 500 + Math.round(boundedSize(share) * 30_000);
  const legs: MatchLeg[] = [];
  for (const level of levels) {
    // The best level sometimes has two makers.
    const parts = legs.length === 0 && (chance >>> 20) % 3 === 0 ? 2 : 1;
    const filled = Math.min(wanted, level.size);
    const first = parts === 2 && filled > 1 ? Math.ceil(filled * 0.6) : filled;
    for (const size of first === filled ? [filled] : [first, filled - first]) {
      const legChance = hashOf(seed, STREAM.match, event, 2 + legs.length);
      const price = token === 0 ? level.price : 1_000 - level.price;
      legs.push({ kind: legKind(isTakerBuy, legChance), price, size, chance: legChance });
    }
    wanted -= filled;
    if (wanted <= 0 || legs.length >= MAX_LEGS) break;
  }
  return { event, slot, token, isTakerBuy, legs, timeMs, chance };
}

/** Buying YES or selling NO fills YES asks; selling YES or buying NO fills YES bids. */
function hitsAsks(token: 0 | 1, isTakerBuy: boolean): boolean {
  return (token === 0) === isTakerBuy;
}

function matchedSide(book: QuestionBook, token: 0 | 1, isTakerBuy: boolean): readonly BookLevel[] {
  return hitsAsks(token, isTakerBuy) ? book.asks : book.bids;
}

/** The book after a match. */
export function bookAfter(book: QuestionBook, match: Match): QuestionBook {
  const asks = hitsAsks(match.token, match.isTakerBuy);
  const filled = new Map<number, number>();
  for (const { price, size } of match.legs) {
    const yesPrice = match.token === 0 ? price : 1_000 - price;
    filled.set(yesPrice, (filled.get(yesPrice) ?? 0) + size);
  }
  const left = (asks ? book.asks : book.bids)
    .map(({ price, size }) => ({ price, size: size - (filled.get(price) ?? 0) }))
    .filter((level) => level.size > 0);
  return asks ? { ...book, asks: left } : { ...book, bids: left };
}
