/**
 * Whether two markets ask the same question (contract, Markets). What must agree for that is the key: kind, underlying,
 * threshold, semantics and settlement day, or whatever else tells the questions of a kind apart. What may differ lowers
 * the confidence, and is said in the evidence.
 */
import type { EventKind, Recognition, Strike } from './recognise/question.ts';

/** Below this a link is shown and not used for spreads and arbitrage. */
export const USE_CONFIDENCE = 0.75;

/** Equality left out on one side and not on the other, or not told: on a price that moves freely it hardly matters. */
const STRICTNESS_FACTOR = 0.98;
/** Different settlement sources in the same minute, or one that is not told. */
const SOURCE_FACTOR = 0.92;
/** Different or unknown minutes of the same day: another question for anyone who trades it. */
const MINUTE_FACTOR = 0.5;

/** One venue lists no question twice: what reads alike there differs in a part that the words do not tell. */
const SAME_VENUE_FACTOR = 0.5;

/** Kinds that are decided by a price at a minute; the others by what happens, whenever a venue takes note of it. */
const TIMED_KINDS: ReadonlySet<EventKind | null> = new Set(['price_binary', 'price_range', 'up_down']);

/** What is compared of a market. */
export interface LinkFacts {
  /** Null for questions that are decided at a minute; else the venue that asks. */
  readonly untimedVenue: string | null;
  /** Of a question without a threshold always `gte`: YES is what its words say. */
  readonly op: Strike['op'];
  readonly strict: boolean | null;
  readonly atMs: number | null;
  readonly settlementSource: string | null;
  readonly confidence: number;
}

export interface LinkEvaluation {
  readonly confidence: number;
  readonly polarity: 'same' | 'inverse';
  readonly used: boolean;
  /** What differs, by part. */
  readonly differences: Readonly<Record<string, string>>;
}

/** What is compared, or null for a market that must stand alone. */
export function linkFacts(recognition: Recognition): LinkFacts | null {
  const { kind, venue, strike, deadline, settlementSource, confidence, question, linkable } = recognition;
  if (!linkable || (strike ? !deadline : question === null)) return null;
  return {
    untimedVenue: TIMED_KINDS.has(kind) ? null : venue,
    op: strike?.op ?? 'gte',
    strict: strike ? strike.strict : false,
    atMs: deadline?.atMs ?? null,
    settlementSource,
    confidence,
  };
}

/**
 * The keys under which a question is found, the stronger first: the same minute, where it is known, then the same
 * settlement day. A price at one moment is above or below, so both comparisons are one question seen from two sides;
 * touches are not.
 */
export function questionKeys({ kind, strike, deadline, question, linkable }: Recognition): string[] {
  if (!linkable) return [];
  if (!strike) return question === null ? [] : keysAt(`${kind}|${question}`, deadline);
  if (!deadline) return [];
  const { underlying, threshold, semantics, scope, op } = strike;
  const side = semantics === 'touch' ? `touch:${op}` : semantics;
  return keysAt(`${underlying}|${threshold}|${side}|${scope}`, deadline);
}

function keysAt(stem: string, deadline: Recognition['deadline']): string[] {
  if (!deadline) return [stem];
  const day = `${stem}|${deadline.day}`;
  return deadline.atMs === null ? [day] : [`${stem}|${minuteOf(deadline.atMs)}`, day];
}

/** How a market stands to the one that the event is seen from; both have a key in common. */
export function evaluateLink(reference: LinkFacts, market: LinkFacts): LinkEvaluation {
  if (typeof reference.untimedVenue === 'string' || typeof market.untimedVenue === 'string') return evaluateByWords(reference, market);
  const polarity = market.op === reference.op ? 'same' : 'inverse';
  const differences: Record<string, string> = {};
  let confidence = Math.min(reference.confidence, market.confidence);
  const known = reference.strict !== null && market.strict !== null;
  // "Below" is the exact inverse of "at or above": then one of the two leaves equality out.
  const exact = known && (reference.strict === market.strict) === (polarity === 'same');
  if (!exact) {
    confidence *= STRICTNESS_FACTOR;
    differences.equality = known ? 'counts for one of the two' : 'not told';
  }
  if (reference.settlementSource === null || reference.settlementSource !== market.settlementSource) {
    confidence *= SOURCE_FACTOR;
    differences.sources = `${market.settlementSource ?? 'not told'} against ${reference.settlementSource ?? 'not told'}`;
  }
  const sameMinute = reference.atMs !== null && sameMinuteOf(reference.atMs, market.atMs);
  if (!sameMinute) {
    confidence *= MINUTE_FACTOR;
    differences.minute = `${minuteText(market.atMs)} against ${minuteText(reference.atMs)}`;
  }
  return {
    confidence: roundConfidence(confidence),
    polarity,
    used: sameMinute && confidence >= USE_CONFIDENCE,
    differences,
  };
}

/** Questions that no minute decides: all that their words tell is in the key already, but not who decides. */
function evaluateByWords(reference: LinkFacts, market: LinkFacts): LinkEvaluation {
  const sameVenue = reference.untimedVenue === market.untimedVenue;
  const confidence =
    Math.min(reference.confidence, market.confidence) * (sameVenue ? SAME_VENUE_FACTOR : SOURCE_FACTOR);
  return {
    confidence: roundConfidence(confidence),
    polarity: 'same',
    used: confidence >= USE_CONFIDENCE,
    differences: sameVenue
      ? { venue: 'one venue does not ask twice' }
      : { sources: `${market.settlementSource ?? 'not told'} against ${reference.settlementSource ?? 'not told'}` },
  };
}

/** Four decimals: more would claim a precision that a judgement does not have. */
export function roundConfidence(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

/** Whether two moments lie in one minute. */
export function sameMinuteOf(a: number, b: number | null): boolean {
  return b !== null && minuteOf(a) === minuteOf(b);
}

function minuteOf(ms: number): number {
  return Math.floor(ms / 60_000);
}

function minuteText(ms: number | null): string {
  return ms === null ? 'not told' : `${new Date(ms).toISOString().slice(0, 16)}Z`;
}
