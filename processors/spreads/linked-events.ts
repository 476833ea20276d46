/** Which events there are and which instruments they look at. */
import type { Emit } from '#infra/stages/stage';
import { spreadHeadTopic, type UniversalEvent } from '#schemas/topics/derived';
import { createLeg } from './legs.ts';
import { type EventState, type LegState, linkInstrument, type SpreadsState, unlinkInstrument } from './state.ts';
import { forgetArbitrage } from './tell-arbitrage.ts';
import { tellHead } from './tell-spread.ts';

/** What counts of an event's record. */
export interface Linked {
  readonly universalId: string;
  readonly legs: LegState[];
}

/** New legs for the links in use. Throws `DecimalError` for a malformed fee rate. */
export function legsOf({ links }: UniversalEvent): LegState[] {
  return links.filter((link) => link.used && link.yesInstrument !== '').map(createLeg);
}

/** Takes a new or changed event. Null when its legs are as they were. */
export function takeEvent(state: SpreadsState, { universalId, legs }: Linked): EventState | null {
  const known = state.events.get(universalId);
  if (known && isSameLegs(known.legs, legs)) return null;
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
export function settleEvent(state: SpreadsState, { universalId, legs }: Linked, receivedAt: number, emit: Emit): void {
  const event = state.events.get(universalId);
  if (event) letGo(state, event, emit);
  tellHead(state, createEvent(universalId, legs), receivedAt, null, emit);
}

function letGo(state: SpreadsState, event: EventState, emit: Emit): void {
  forgetArbitrage(state, event, emit);
  unlinkAll(state, event);
  state.events.delete(event.universalId);
  state.unpublished.delete(event.universalId);
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

/** Whether they are of the same markets on the same terms; how their books stand does not matter. */
function isSameLegs(legs: readonly LegState[], others: readonly LegState[]): boolean {
  return (
    legs.length === others.length &&
    others.every((other, at) => {
      const leg = legs[at]!;
      return (
        leg.provider === other.provider &&
        leg.marketId === other.marketId &&
        leg.yes === other.yes &&
        leg.no === other.no &&
        leg.inverse === other.inverse &&
        leg.rate === other.rate
      );
    })
  );
}
