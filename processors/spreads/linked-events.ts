/** Which events there are and which instruments they look at. */
import type { Emit } from '#infra/stages/stage';
import { parseDecimal } from '#schemas/domain/decimal';
import { type EventLink, spreadHeadTopic, type UniversalEvent } from '#schemas/topics/derived';
import { createLeg } from './legs.ts';
import { type EventState, type LegState, linkInstrument, type SpreadsState, unlinkInstrument } from './state.ts';
import { forgetArbitrage } from './tell-arbitrage.ts';
import { tellHead } from './tell-spread.ts';

/** Takes a new or changed event. Null when its legs are as they were. */
export function takeEvent(state: SpreadsState, record: UniversalEvent): EventState | null {
  const { universalId } = record;
  const links = linksInUse(record);
  const known = state.events.get(universalId);
  if (known && hasLegs(known.legs, links)) return null;
  const legs = links.map(createLeg);
  if (known) unlinkAll(state, known);
  const event = known ?? createEvent(universalId, legs);
  event.legs = legs;
  event.comparable = new Set(legs.map((leg) => leg.provider)).size > 1;
  event.published = null;
  state.events.set(universalId, event);
  for (const { yes, no } of legs) {
    linkInstrument(state, yes, universalId);
    if (no !== null) linkInstrument(state, no, universalId);
  }
  return event;
}

/** Removes an event that was merged into another, or is no more, with its heads. */
export function removeEvent(state: SpreadsState, universalId: string, emit: Emit): void {
  const event = state.events.get(universalId);
  if (!event) return;
  letGo(state, event, emit);
  emit.remove(spreadHeadTopic, universalId);
}

/** Lets go of an event that is resolved. Its head stays, without prices: the books of settled markets say nothing. */
export function settleEvent(state: SpreadsState, record: UniversalEvent, receivedAt: number, emit: Emit): void {
  const event = state.events.get(record.universalId);
  if (event) letGo(state, event, emit);
  const legs = linksInUse(record).map(createLeg);
  tellHead(state, createEvent(record.universalId, legs), receivedAt, null, emit);
}

function letGo(state: SpreadsState, event: EventState, emit: Emit): void {
  forgetArbitrage(state, event, emit);
  unlinkAll(state, event);
  state.events.delete(event.universalId);
  state.unpublished.delete(event.universalId);
}

function linksInUse({ links }: UniversalEvent): EventLink[] {
  return links.filter((link) => link.used && link.yesInstrument !== '');
}

function createEvent(universalId: string, legs: LegState[]): EventState {
  const best = { cross_provider: null, negation_pair: null };
  return { universalId, legs, comparable: false, published: null, best };
}

function unlinkAll(state: SpreadsState, { universalId, legs }: EventState): void {
  for (const { yes, no } of legs) {
    unlinkInstrument(state, yes, universalId);
    if (no !== null) unlinkInstrument(state, no, universalId);
  }
}

function hasLegs(legs: readonly LegState[], links: readonly EventLink[]): boolean {
  return (
    legs.length === links.length &&
    links.every((link, at) => {
      const leg = legs[at]!;
      return (
        leg.provider === link.provider &&
        leg.marketId === link.providerMarketId &&
        leg.yes === link.yesInstrument &&
        leg.no === link.noInstrument &&
        leg.inverse === (link.polarity === 'inverse') &&
        leg.rate === (link.takerFeeRate === null ? null : parseDecimal(link.takerFeeRate))
      );
    })
  );
}
