/**
 * Whether two markets ask the same question (contract, Markets). What must agree for that is the key: kind, underlying,
 * threshold, semantics and settlement day. What may differ lowers the confidence, and is said in the evidence.
 */
import type { Recognition, Strike } from './recognise/question.ts';

/** Below this a link is shown and not used for spreads and arbitrage. */
export const USE_CONFIDENCE = 0.75;

/** Equality left out on one side and not on the other, or not told: on a price that moves freely it hardly matters. */
const STRICTNESS_FACTOR = 0.98;
/** Different settlement sources in the same minute, or one that is not told. */
const SOURCE_FACTOR = 0.92;
/** Different or unknown minutes of the same day: another question for anyone who trades it. */
const MINUTE_FACTOR = 0.5;

/** What is compared of a market. */
export interface LinkFacts {
  readonly op: Strike['op'];
  readonly strict: boolean | null;
  readonly atMs: number | null;
  readonly settlementSource: string | null;
  readonly confidence: number;
}

export interface LinkJudgement {
  readonly confidence: number;
  readonly polarity: 'same' | 'inverse';
  readonly used: boolean;
  /** What differs, by part. */
  readonly differences: Readonly<Record<string, string>>;
}

/** What is compared, or null for a market that must stand alone. */
export function linkFacts({ strike, deadline, settlementSource, confidence, linkable }: Recognition): LinkFacts | null {
  if (!linkable || !strike || !deadline) return null;
  return { op: strike.op, strict: strike.strict, atMs: deadline.atMs, settlementSource, confidence };
}

/**
 * The keys under which a question is found, the stronger first: the same moment, then the same settlement day. A price
 * at one moment is above or below, so both comparisons are one question seen from two sides; touches are not.
 */
export function questionKeys({ strike, deadline, linkable }: Recognition): string[] {
  if (!linkable || !strike || !deadline) return [];
  const { underlying, threshold, semantics, scope, op } = strike;
  const side = semantics === 'touch' ? `touch:${op}` : semantics;
  const stem = `${underlying}|${threshold}|${side}|${scope}`;
  const day = `${stem}|${deadline.day}`;
  return deadline.atMs === null ? [day] : [`${stem}|${deadline.atMs}`, day];
}

/** How a market stands to the one that the event is seen from; both have a key in common. */
export function judgeLink(reference: LinkFacts, market: LinkFacts): LinkJudgement {
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

/** Four decimals: more would claim a precision that a judgement does not have. */
export function roundConfidence(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

/** Whether two moments lie in one minute. */
export function sameMinuteOf(a: number, b: number | null): boolean {
  return b !== null && Math.floor(a / 60_000) === Math.floor(b / 60_000);
}

function minuteText(ms: number | null): string {
  return ms === null ? 'not told' : `${new Date(ms).toISOString().slice(0, 16)}Z`;
}
