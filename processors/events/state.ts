import type { Market } from '#schemas/topics/normalised';
import type { Deadline } from './deadlines.ts';
import { type LinkFacts, linkFacts, questionKeys } from './link-judgement.ts';
import type { Recognition, Semantics } from './recognise/question.ts';
import { fingerprint } from './universal-id.ts';

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
  readonly op: string | null;
  readonly semantics: Semantics | null;
  /** Its settlement day, `YYYY-MM-DD`. */
  readonly day: string | null;
  /** What is compared, or null for a market that stands alone. */
  readonly facts: LinkFacts | null;
  /** Keys of the question, the stronger first; empty where `facts` is null. */
  readonly keys: readonly string[];
  readonly confidence: number;
  readonly source: string;
  readonly evidence: Readonly<Record<string, string>>;
  /** When its question is decided, as far as it is known. */
  readonly decidedAt: number | null;
  readonly closed: boolean;
  readonly yesInstrument: string;
  readonly noInstrument: string | null;
  readonly takerFeeRate: string | null;
  eventId: string;
}

/** A universal event. */
export interface EventEntry {
  readonly universalId: string;
  firstSeenAt: number;
  lastSeenAt: number;
  /** Counts the events in the order in which they were founded: the tie-break of equal ages. */
  readonly ordinal: number;
  /** Keys of its markets in the order in which they joined; empty once it is merged. */
  members: string[];
  mergedInto: string | null;
  /** Events that were merged into it. */
  absorbed: string[];
  /** Of the record told last, but for its times. */
  told: string;
  /** The deadline that is waited for. */
  deadline: number | null;
  /** When it was told to be resolved; null before. */
  resolvedAt: number | null;
}

/** Grows with the catalog of what is open or was resolved lately, and with nothing else. */
export interface EventsState {
  readonly markets: Map<string, MarketEntry>;
  readonly events: Map<string, EventEntry>;
  /** Question key to the event that newcomers with that key join. */
  readonly index: Map<string, string>;
  readonly deadlines: Deadline[];
  /** Events founded so far. */
  founded: number;
  /** The newest clock mark. */
  now: number;
  /** Markets that were new or changed since the pass began; null while nothing of a catalog came. */
  pass: Set<string> | null;
}

export function createEventsState(): EventsState {
  return { markets: new Map(), events: new Map(), index: new Map(), deadlines: [], founded: 0, now: 0, pass: null };
}

const NAME_MAX = 200;

/** A market is known by this, over all venues. */
export function marketKey(provider: string, marketId: string): string {
  return `${provider}|${marketId}`;
}

/** Tells whether anything of a market changed. */
export function marketFingerprint(market: Market): string {
  return fingerprint(JSON.stringify({ ...market, receivedAt: 0 }));
}

/** The entry of a market. A market whose catalog names no instruments yet has an empty one and stands alone. */
export function toMarketEntry(market: Market, recognition: Recognition, print: string): MarketEntry {
  const yes = Math.max(
    0,
    market.outcomes.findIndex((name) => name.toLowerCase() === 'yes'),
  );
  const yesInstrument = market.instruments[yes] ?? '';
  const isTradable = yesInstrument !== '';
  const { kind, underlying, strike, deadline, confidence, source, evidence } = recognition;
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
    day: deadline?.day ?? null,
    evidence,
    decidedAt: deadline?.atMs ?? market.endTime,
    closed: market.closed,
    yesInstrument,
    noInstrument: market.instruments.length === 2 ? market.instruments[1 - yes]! : null,
    takerFeeRate: market.takerFeeRate,
    eventId: '',
  };
}

/** What the venue calls it. Outcome markets share a few names, and are told apart by their description. */
function nameOf({ provider, title, description, marketId }: Market): string {
  const name = provider === 'venue_a_outcome' && description ? `${title} (${description})` : title || description;
  return (name || marketId).slice(0, NAME_MAX);
}
