/**
 * Evaluates whether two markets ask the same question (contract, Markets). The parts that must agree form the key:
 * kind, underlying, threshold, semantics and settlement day, or whatever else distinguishes the questions of a kind.
 * The parts that may differ lower the confidence and are listed in the evidence.
 */
import type { EventKind, Recognition, Strike } from './recognise/question.ts';

/** A link below this confidence is shown but not used for spreads and arbitrage. */
const USE_CONFIDENCE = 0.75;

/** Equality counts on one side only, or is not stated. On a price that moves freely it hardly matters. */
const STRICTNESS_FACTOR = 0.98;
/** The settlement sources of the same minute differ, or one is not stated. */
const SOURCE_FACTOR = 0.92;
/** The minutes of the same day differ or are unknown, which is another question for anyone who trades it. */
const MINUTE_FACTOR = 0.5;

/** A venue lists no question twice, so two of its markets with equal words differ in a part that is not stated. */
const SAME_VENUE_FACTOR = 0.5;

const NOT_STATED = 'not stated';

/** Kinds that a price at a minute resolves. What happens resolves the others, whenever a venue records it. */
const TIMED_KINDS: ReadonlySet<EventKind | null> = new Set(['price_binary', 'price_range', 'up_down']);

/** The facts of a market that links are evaluated by. */
export interface LinkFacts {
  /** The venue that asks, for questions that no minute decides; null for the others. */
  readonly untimedVenue: string | null;
  /** Always `gte` for a question without a threshold, since its YES is what its words state. */
  readonly op: Strike['op'];
  readonly strict: boolean | null;
  readonly atMs: number | null;
  readonly settlementSource: string | null;
  readonly confidence: number;
}

/** How well the question of a market matches that of a reference, and whether a link of it is used. */
export interface LinkEvaluation {
  readonly confidence: number;
  readonly polarity: 'same' | 'inverse';
  readonly used: boolean;
  /** The differences by part. */
  readonly differences: Readonly<Record<string, string>>;
}

/** Returns the facts that links are evaluated by; null for a market that must not be linked. */
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
 * Returns the keys under which a question is found, the stronger first: the minute, if known, then the settlement day.
 * A price at one moment is either above or below, so both comparisons are one question seen from two sides; this is not
 * so for touches.
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

/** Evaluates the link of a market with the reference market of its event; both have a key in common. */
export function evaluateLink(reference: LinkFacts, market: LinkFacts): LinkEvaluation {
  if (typeof reference.untimedVenue === 'string' || typeof market.untimedVenue === 'string')
    return evaluateByWords(reference, market);
  const polarity = market.op === reference.op ? 'same' : 'inverse';
  const differences: Record<string, string> = {};
  let confidence = Math.min(reference.confidence, market.confidence);
  const known = reference.strict !== null && market.strict !== null;
  // "Below" is the exact inverse of "at or above": then one of the two leaves equality out.
  const exact = known && (reference.strict === market.strict) === (polarity === 'same');
  if (!exact) {
    confidence *= STRICTNESS_FACTOR;
    differences.equality = known ? 'counts for one of the two' : NOT_STATED;
  }
  if (reference.settlementSource === null || reference.settlementSource !== market.settlementSource) {
    confidence *= SOURCE_FACTOR;
    differences.sources = sourcesText(reference, market);
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

/**
 * Evaluates questions that no minute decides: the key already contains everything their words state, except who
 * decides.
 */
function evaluateByWords(reference: LinkFacts, market: LinkFacts): LinkEvaluation {
  const sameVenue = reference.untimedVenue === market.untimedVenue;
  const confidence =
    Math.min(reference.confidence, market.confidence) * (sameVenue ? SAME_VENUE_FACTOR : SOURCE_FACTOR);
  return {
    confidence: roundConfidence(confidence),
    polarity: 'same',
    used: confidence >= USE_CONFIDENCE,
    differences: sameVenue ? { venue: 'one venue does not ask twice' } : { sources: sourcesText(reference, market) },
  };
}

function sourcesText(reference: LinkFacts, market: LinkFacts): string {
  return `${market.settlementSource ?? NOT_STATED} against ${reference.settlementSource ?? NOT_STATED}`;
}

/** Rounds to four decimals: more would claim a precision that an evaluation does not have. */
function roundConfidence(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

/** True if two moments are in the same minute. */
export function sameMinuteOf(a: number, b: number | null): boolean {
  return b !== null && minuteOf(a) === minuteOf(b);
}

function minuteOf(ms: number): number {
  return Math.floor(ms / 60_000);
}

function minuteText(ms: number | null): string {
  return ms === null ? NOT_STATED : `${new Date(ms).toISOString().slice(0, 16)}Z`;
}
