/** Builds the record of an event from its markets. */
import type { EventLink, UniversalEvent } from '#schemas/topics/derived';
import { evaluateLink, type LinkFacts } from './link-evaluation.ts';
import { invertibleOp, type MarketEntry } from './market-entry.ts';
import { closedAtOf, marketStateOf, statusOf } from './progress.ts';
import { referenceOf } from './reference.ts';
import { type EventEntry, type EventsState, marketsOf } from './state.ts';

/** Builds the record of an event at `receivedAt`. A merged event has the question of its survivor and names it. */
export function toEventRecord(state: EventsState, event: EventEntry, receivedAt: number): UniversalEvent {
  const { universalId, firstSeenAt, lastSeenAt, mergedInto } = event;
  const subject = mergedInto === null ? event : state.events.get(mergedInto)!;
  const markets = marketsOf(state, subject);
  const reference = referenceOf(markets);
  const { kind, underlying, threshold, details, resolutionTime } = reference;
  const op = invertibleOp(reference) ? subject.op : reference.op;
  const overAt = closedAtOf(markets);
  return {
    universalId,
    receivedAt,
    canonicalName: canonicalName(reference, op),
    kind,
    underlying,
    threshold,
    op,
    resolutionTime,
    status: statusOf(markets, state.now),
    firstSeenAt,
    lastSeenAt,
    links: mergedInto === null ? linksOf(markets, reference, subject.op) : [],
    mergedInto,
    details,
    overAt: mergedInto === null ? overAt : null,
  };
}

function linksOf(markets: readonly MarketEntry[], reference: MarketEntry, op: EventEntry['op']): EventLink[] {
  return markets.map((market) => linkOf(market, reference, op)).sort(byProviderThenMarket);
}

function linkOf(market: MarketEntry, reference: MarketEntry, op: EventEntry['op']): EventLink {
  const { provider, marketId, source, yesInstrument, noInstrument, takerFeeRate, name, endTime } = market;
  const evaluation =
    market === reference ? null : evaluateLink(reference.facts as LinkFacts, market.facts as LinkFacts);
  const differences = evaluation?.differences ?? {};
  const evidence =
    Object.keys(differences).length > 0
      ? JSON.stringify({ ...(JSON.parse(market.evidence) as object), differences })
      : market.evidence;
  return {
    provider,
    providerMarketId: marketId,
    confidence: evaluation?.confidence ?? market.confidence,
    source,
    polarity: op === null || (invertibleOp(market) ?? op) === op ? 'same' : 'inverse',
    used: evaluation?.used ?? true,
    evidence,
    yesInstrument,
    noInstrument,
    takerFeeRate,
    marketState: marketStateOf(market),
    title: name,
    endTime,
  };
}

function byProviderThenMarket(a: EventLink, b: EventLink): number {
  if (a.provider !== b.provider) return a.provider < b.provider ? -1 : 1;
  return a.providerMarketId < b.providerMarketId ? -1 : 1;
}

/** Returns a name for people: built from the parts of a strike, otherwise the venue's own title. */
function canonicalName(
  { name, threshold, underlying, facts, resolutionTime, semantics, day }: MarketEntry,
  op: string | null,
): string {
  if (threshold === null || facts === null) return name;
  const [integer = '', fraction] = threshold.split('.');
  const amount = integer.replace(/\B(?=(\d{3})+$)/g, ',') + (fraction ? `.${fraction}` : '');
  const moment =
    resolutionTime === null ? day : `${new Date(resolutionTime).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  if (semantics === 'touch') {
    return `${underlying} ${op === 'gte' ? 'reaches' : 'falls to'} ${amount} by ${moment}`;
  }
  return `${underlying} at or ${op === 'gte' ? 'above' : 'below'} ${amount} on ${moment}`;
}
