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
  const links = record.links.filter((link) => link.used && link.yesInstrument !== '');
  const known = state.events.get(universalId);
  if (known && hasLegs(known.legs, links)) return null;
  const legs = links.map(createLeg);
  if (known) unlinkAll(state, known);
  const event: EventState = known ?? {
    universalId,
    legs,
    comparable: false,
    published: null,
    best: { cross_provider: null, negation_pair: null },
  };
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

/**
 * Lets go of an event. One that was merged loses its heads; one that is resolved keeps a last one without prices, since
 * the books of settled markets say nothing.
 */
export function forgetEvent(
  state: SpreadsState,
  universalId: string,
  emit: Emit,
  how: { readonly tombstone: true } | { readonly tombstone: false; readonly receivedAt: number },
): void {
  const event = state.events.get(universalId);
  if (!event) return;
  forgetArbitrage(state, event, emit);
  unlinkAll(state, event);
  state.events.delete(universalId);
  state.unpublished.delete(universalId);
  if (how.tombstone) {
    emit.remove(spreadHeadTopic, universalId);
    return;
  }
  for (const leg of event.legs) Object.assign(leg, { bid: null, ask: null, mid: null, midText: null, live: false });
  tellHead(state, event, how.receivedAt, null, emit);
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
