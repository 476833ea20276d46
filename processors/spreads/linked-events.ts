/** Tracks the events and the instruments of their legs. */
import type { Emit } from '#infra/stages/stage';
import { hasLeg } from '#schemas/domain/linked-markets';
import { spreadHeadTopic, type UniversalEvent } from '#schemas/topics/derived';
import type { Occasion } from './book-heads.ts';
import { removeArbitrage } from './emit-arbitrage.ts';
import { emitHead } from './emit-spread.ts';
import { linkInstrument, unlinkInstrument } from './instruments.ts';
import { createLeg } from './legs.ts';
import type { EventState, LegState, SpreadsState } from './state.ts';

/** The parts of an event's record that this stage uses. */
export interface LinkedEvent {
  readonly universalId: string;
  readonly legs: LegState[];
}

/** Creates legs for the used links. Throws `DecimalError` for a malformed fee rate. */
export function legsOf({ links }: UniversalEvent): LegState[] {
  return links.filter(hasLeg).map(createLeg);
}

/** An event whose legs are new, or changed only in their market states. */
export interface EventUpdate {
  readonly event: EventState;
  /** The legs of which only the market state changed; null if the legs themselves changed. */
  readonly stateChanges: readonly LegState[] | null;
}

/** Applies a new or changed event that is not resolved. Returns null if its legs did not change. */
export function updateUnresolved(
  state: SpreadsState,
  { universalId, legs }: LinkedEvent,
  occasion: Occasion,
): EventUpdate | null {
  const known = state.events.get(universalId);
  if (known && isSameLegs(known.legs, legs)) {
    const stateChanges = replaceStateChanges(known, legs);
    return stateChanges.length === 0 ? null : { event: known, stateChanges };
  }
  if (known) unlinkAll(state, known, occasion);
  const event = known ?? createEvent(universalId, legs);
  event.legs = legs;
  event.comparable = new Set(legs.map((leg) => leg.provider)).size > 1;
  event.published = null;
  state.events.set(universalId, event);
  for (const [leg, { yes, no }] of legs.entries()) {
    linkInstrument(state, yes, { universalId, leg, isYes: true });
    if (no !== null) linkInstrument(state, no, { universalId, leg, isYes: false });
  }
  return { event, stateChanges: null };
}

/** Replaces the legs whose market states changed by new legs without a book, and returns these. */
function replaceStateChanges(event: EventState, legs: readonly LegState[]): LegState[] {
  const changed = legs.filter(({ marketState }, at) => marketState !== event.legs[at]!.marketState);
  event.legs = event.legs.map((leg, at) => (changed.includes(legs[at]!) ? legs[at]! : leg));
  return changed;
}

/**
 * Removes an event that was archived, or merged into another that now has its legs. Its head exists also if the event was
 * resolved and removed before.
 */
export function dropEvent(state: SpreadsState, universalId: string, receivedAt: number, emit: Emit): void {
  const event = state.events.get(universalId);
  if (event) removeEvent(state, event, receivedAt, emit);
  emit.remove(spreadHeadTopic, universalId);
}

/** Removes a resolved event. Its head stays, without prices, because the books of settled markets have no meaning. */
export function endResolved(
  state: SpreadsState,
  { universalId, legs }: LinkedEvent,
  receivedAt: number,
  emit: Emit,
): void {
  const event = state.events.get(universalId);
  if (event) removeEvent(state, event, receivedAt, emit);
  emitHead(state, createEvent(universalId, legs), receivedAt, null, emit);
}

function removeEvent(state: SpreadsState, event: EventState, receivedAt: number, emit: Emit): void {
  removeArbitrage(state, event, receivedAt, emit);
  unlinkAll(state, event, { receivedAt, emit });
  state.events.delete(event.universalId);
  state.unpublished.delete(event.universalId);
}

function createEvent(universalId: string, legs: LegState[]): EventState {
  const best = { cross_provider: null, negation_pair: null };
  const signalStarts = { at: 0, count: 0 };
  return { universalId, legs, comparable: false, published: null, best, signals: [], signalStarts };
}

function unlinkAll(state: SpreadsState, event: EventState, occasion: Occasion): void {
  for (const { yes, no } of event.legs) {
    unlinkInstrument(state, yes, event.universalId, occasion);
    if (no !== null) unlinkInstrument(state, no, event.universalId, occasion);
  }
}

/** True if both have the same markets on the same terms, whatever the states of their markets and books. */
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
