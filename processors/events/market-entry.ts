/** A market as the events stage stores it. */

import { yesIndexOf } from '#schemas/domain/linked-markets';
import { marketKey } from '#schemas/domain/providers';
import type { Market } from '#schemas/topics/normalised';
import { type LinkFacts, linkFacts, questionKeys } from './link-evaluation.ts';
import type { Recognition, Semantics, Strike } from './recognise/question.ts';
import { fingerprint } from './universal-id.ts';

/** Greatest length of a name, in characters. */
const NAME_MAX = 200;

/** A market of the catalog with the parsed parts of its question. Long texts do not increase its size. */
export interface MarketEntry {
  readonly key: string;
  readonly provider: string;
  readonly marketId: string;
  /** Fingerprint of the whole record without its receive time. */
  readonly fingerprint: string;
  readonly name: string;
  readonly kind: Recognition['kind'];
  readonly underlying: string | null;
  readonly threshold: string | null;
  readonly op: Strike['op'] | null;
  readonly semantics: Semantics | null;
  /** Fields that only its kind has, as JSON (`UniversalEvent.details`). */
  readonly details: string;
  /** Its settlement day, `YYYY-MM-DD`. */
  readonly day: string | null;
  /** Facts that links are evaluated by; null for a market that is never linked. */
  readonly facts: LinkFacts | null;
  /** Keys of the question, the stronger first; empty where `facts` is null. */
  readonly keys: readonly string[];
  readonly confidence: number;
  readonly source: string;
  /**
   * The words or fields that each part was read from, as one JSON string, since a state has hundreds of thousands of
   * them.
   */
  readonly evidence: string;
  /** When its question is resolved, unix ms; null if unknown. */
  readonly resolutionTime: number | null;
  /** Its deadline in the catalog, unix ms. */
  readonly endTime: number | null;
  /** True if its catalog lists it as closed. */
  readonly closed: boolean;
  /** True if its catalog lists it as resolved. */
  readonly resolved: boolean;
  /** Id of its valid resolution, whatever its catalog states; null without one. */
  settledBy: string | null;
  /** When it was closed or settled, unix ms; null while it is open. */
  closedAt: number | null;
  readonly yesInstrument: string;
  readonly noInstrument: string | null;
  readonly takerFeeRate: string | null;
  eventId: string;
}

/** True if the minute at which the market is resolved is known, and not only the day. */
export function hasMinute({ facts }: MarketEntry): boolean {
  return facts !== null && facts.atMs !== null;
}

/** Returns the comparison of a question that has an inverse, which is one about a price at one moment; else null. */
export function invertibleOp({ semantics, op }: MarketEntry): MarketEntry['op'] {
  return semantics === 'at_time' ? op : null;
}

/** Returns a fingerprint of all fields of a market except its receive time. */
export function marketFingerprint(market: Market): string {
  return fingerprint(JSON.stringify({ ...market, receivedAt: 0 }));
}

/** Creates the entry of a market. A market whose catalog names no instruments yet is not linked. */
export function toMarketEntry(market: Market, recognition: Recognition, print: string): MarketEntry {
  const yes = yesIndexOf(market.outcomes);
  const yesInstrument = market.instruments[yes] ?? '';
  const isTradable = yesInstrument !== '';
  const { kind, underlying, strike, details, deadline, confidence, source, evidence } = recognition;
  return {
    key: marketKey(market.provider, market.marketId),
    provider: market.provider,
    marketId: market.marketId,
    fingerprint: print,
    name: nameOf(market),
    kind,
    underlying,
    threshold: strike?.threshold ?? null,
    op: strike?.op ?? null,
    facts: isTradable ? linkFacts(recognition) : null,
    keys: isTradable ? questionKeys(recognition) : [],
    confidence,
    source,
    semantics: strike?.semantics ?? null,
    details: JSON.stringify(strike ? { semantics: strike.semantics } : details),
    day: deadline?.day ?? null,
    evidence: JSON.stringify(evidence),
    resolutionTime: deadline?.atMs ?? market.endTime,
    endTime: market.endTime,
    closed: market.closed,
    resolved: market.resolved,
    settledBy: null,
    closedAt: null,
    yesInstrument,
    noInstrument: market.instruments.length === 2 ? market.instruments[1 - yes]! : null,
    takerFeeRate: market.takerFeeRate,
    eventId: '',
  };
}

/** True if its catalog or a resolution states the outcome. */
export function isResolved({ resolved, settledBy }: MarketEntry): boolean {
  return resolved || settledBy !== null;
}

/** Updates `closedAt` after a change: to `at` if the market became closed or settled, to null if it is open again. */
export function updateClosedAt(market: MarketEntry, at: number): void {
  if (market.closed || market.settledBy !== null) market.closedAt ??= at;
  else market.closedAt = null;
}

/** Returns the name that people see. */
function nameOf({ name, title, description, marketId }: Market): string {
  return (name || title || description || marketId).slice(0, NAME_MAX);
}
