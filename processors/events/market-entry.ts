/** What the events stage keeps of a market. */

import { yesIndexOf } from '#schemas/domain/linked-markets';
import { marketKey } from '#schemas/domain/providers';
import type { Market } from '#schemas/topics/normalised';
import { type LinkFacts, linkFacts, questionKeys } from './link-evaluation.ts';
import type { Recognition, Semantics, Strike } from './recognise/question.ts';
import { fingerprint } from './universal-id.ts';

/** Characters of a name. */
const NAME_MAX = 200;

/** A market of the catalog and what was read of it. Its size does not depend on the length of its texts. */
export interface MarketEntry {
  readonly key: string;
  readonly provider: string;
  readonly marketId: string;
  /** Of the whole record but its receive time. */
  readonly fingerprint: string;
  readonly name: string;
  readonly kind: Recognition['kind'];
  readonly underlying: string | null;
  readonly threshold: string | null;
  readonly op: Strike['op'] | null;
  readonly semantics: Semantics | null;
  /** What its kind has of its own, as JSON (`UniversalEvent.details`). */
  readonly details: string;
  /** Its settlement day, `YYYY-MM-DD`. */
  readonly day: string | null;
  /** What is compared, or null for a market that stands alone. */
  readonly facts: LinkFacts | null;
  /** Keys of the question, the stronger first; empty where `facts` is null. */
  readonly keys: readonly string[];
  readonly confidence: number;
  readonly source: string;
  /** Which words or fields gave which part, as JSON: one text, since a state has hundreds of thousands of them. */
  readonly evidence: string;
  /** When its question is decided, as far as it is known. */
  readonly resolutionTime: number | null;
  /** Its catalog says that it is over. */
  readonly closed: boolean;
  /** Its catalog says that it is decided. */
  readonly resolved: boolean;
  /** Id of the resolution that holds of it, whatever its catalog says; null while there is none. */
  settledBy: string | null;
  /** Since when it is over, by either; null while it is live. */
  closedAt: number | null;
  readonly yesInstrument: string;
  readonly noInstrument: string | null;
  readonly takerFeeRate: string | null;
  eventId: string;
}

/** Whether the minute at which the market is decided is known, not the day alone. */
export function hasMinute({ facts }: MarketEntry): boolean {
  return facts !== null && facts.atMs !== null;
}

/** The comparison of a question that has an inverse: of a price at one moment. Null for any other. */
export function sideOf({ semantics, op }: MarketEntry): MarketEntry['op'] {
  return semantics === 'at_time' ? op : null;
}

/** Of all that a market is, but for when it was told. */
export function marketFingerprint(market: Market): string {
  return fingerprint(JSON.stringify({ ...market, receivedAt: 0 }));
}

/** The entry of a market. A market whose catalog names no instruments yet has an empty one and stands alone. */
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

/** Whether its catalog or a resolution says that it is decided. */
export function isResolved({ resolved, settledBy }: MarketEntry): boolean {
  return resolved || settledBy !== null;
}

/** Notes, after whatever may have changed it, whether a market is over: since `at`, unless it was so before. */
export function updateClosedAt(market: MarketEntry, at: number): void {
  if (market.closed || market.settledBy !== null) market.closedAt ??= at;
  else market.closedAt = null;
}

/** What it is called for people. */
function nameOf({ name, title, description, marketId }: Market): string {
  return (name || title || description || marketId).slice(0, NAME_MAX);
}
