/**
 * What there is to tell of the oracle's phases and of resolutions, and to which event, for every stage that tells it:
 * one telling, one reversal, anew when included again (`what-is-new.ts`, `landings.ts`). What comes before its market's
 * event is known waits for it, and a resolution of a market that does not ask its event's question waits until it does
 * (`waiting.ts`). Off chain, what was decided before anyone looked is for the record, and no news to anyone.
 */
import type { MarketSide } from '#schemas/domain/event-outcome';
import { marketKey } from '#schemas/domain/providers';
import { type SettlementRecord, toSettlementRecord } from '#schemas/http/settlement';
import type { UniversalEvent } from '#schemas/topics/derived';
import type { DisputePhase, Resolution } from '#schemas/topics/oracle';
import { relinkEvent } from './event-markets.ts';
import { followResolution, forgetLandings, mayBeTakenBack, withdrawNext } from './landings.ts';
import { audienceOf } from './merged-events.ts';
import type { OracleState } from './oracle-state.ts';
import { keepWaiting, takeWaiting } from './waiting.ts';
import { whatIsNew } from './what-is-new.ts';

/** Phases remembered, the newest: a confirmed one too may be told again, with another market. */
export const PHASES_MAX = 50_000;

/** A decision off chain of which nobody knows when it was made is news for so long after the market's own end. */
const LONG_PAST_MS = 86_400_000;

/** A phase to tell. */
export interface PhaseNews {
  readonly phase: DisputePhase;
  /** Its event and those that are one with it, the survivor first; empty where no event is to hear of it. */
  readonly audience: readonly string[];
  /** Whether it is news beside that; false where only its event became known. */
  readonly isNew: boolean;
}

/** How a market was decided, or that it is taken back, to tell to its event and those that are one with it. */
export interface SettlementRecordNews {
  readonly record: SettlementRecord;
  readonly audience: readonly string[];
}

/** Takes a telling of a phase; null where nothing of it is new. */
export function newsOfPhase(state: OracleState, phase: DisputePhase): PhaseNews | null {
  const { id, provider, marketId, status } = phase;
  const market = marketId === null ? null : marketKey(provider, marketId);
  const event = market === null ? undefined : state.events.eventOf.get(market);
  if (market !== null && event === undefined) keepWaiting(state.waitingPhases, market, phase);
  const telling = { id, status, market: event === undefined ? null : market, isFinal: false };
  const { isNew, toEvent } = whatIsNew(state.phases, telling, PHASES_MAX);
  if (!isNew && !toEvent) return null;
  return { phase, audience: toEvent ? audienceOf(state.events, event!) : [], isNew };
}

/**
 * Takes a telling of a resolution and gives what there is to tell, in order; null, with nothing changed, where its payouts
 * do not speak of the market's tokens, as far as those are known by now. Only a market that asks its event's question
 * lands there; what was decided of another one waits for the day its link is used. Throws `DecimalError`.
 */
export function newsOfResolution(state: OracleState, resolution: Resolution): SettlementRecordNews[] | null {
  const sideOf = (one: Resolution) => sideOfMarket(state, marketKey(one.provider, one.marketId));
  if (landedRecord(resolution, sideOf(resolution)) === null) return null;
  if (isForTheRecord(resolution)) return [];
  const { id, provider, marketId } = resolution;
  const market = marketKey(provider, marketId);
  const event = asks(state, market) ? state.events.eventOf.get(market)! : null;
  if (event === null && !mayBeTakenBack(state.landings, id)) {
    keepResolution(state, market, resolution);
    return [];
  }
  const audience = event === null ? [] : audienceOf(state.events, event);
  return followResolution(state.landings, resolution, audience, sideOf).flatMap((landing) => {
    const record = landedRecord(landing.resolution, landing.side);
    // None of one that waited to be next, where its market has named other tokens since.
    return record === null ? [] : { record, audience: audienceOf(state.events, landing.universalId) };
  });
}

/** The record of a landing or of its reversal. Only a market whose link is used lands. */
function landedRecord(resolution: Resolution, side: MarketSide): SettlementRecord | null {
  return toSettlementRecord(resolution, side, true);
}

/**
 * A decision off chain that was made before anyone looked: when, nobody knows. It may be old unless the market's own end
 * is near.
 */
function isForTheRecord({ blockNumber, decidedAfter, resolvedAt, endTime }: Resolution): boolean {
  if (blockNumber !== null || decidedAfter !== null) return false;
  return endTime === null || resolvedAt - endTime > LONG_PAST_MS;
}

/** Keeps a resolution until its market has an event and asks its question; a market stands in one of the maps alone. */
function keepResolution(state: OracleState, market: string, resolution: Resolution): void {
  const { events, waitingResolutions, unaskedResolutions } = state;
  const [kept, other] = events.eventOf.has(market)
    ? [unaskedResolutions, waitingResolutions]
    : [waitingResolutions, unaskedResolutions];
  for (const one of [...takeWaiting(other, [market]), resolution]) keepWaiting(kept, market, one);
}

/**
 * Takes the links of a new or changed event; null says that it is past: what it and its markets were known by is
 * forgotten. Gives what there is to tell of what waited for its markets.
 */
export function relinkOracleEvent(
  state: OracleState,
  universalId: string,
  event: UniversalEvent | null,
): { readonly phases: readonly PhaseNews[]; readonly settlements: readonly SettlementRecordNews[] } {
  if (event === null) forgetPast(state, universalId);
  const markets = relinkEvent(state.events, universalId, event);
  const isOut = ({ provider, marketId }: Resolution) => !asks(state, marketKey(provider, marketId));
  for (const out of withdrawNext(state.landings, isOut)) {
    keepResolution(state, marketKey(out.provider, out.marketId), out);
  }
  const asking = markets.filter((market) => asks(state, market));
  const phases = takeWaiting(state.waitingPhases, markets);
  const resolutions = [
    ...takeWaiting(state.waitingResolutions, markets),
    ...takeWaiting(state.unaskedResolutions, asking),
  ];
  return {
    phases: phases.flatMap((phase) => newsOfPhase(state, phase) ?? []),
    // They were found good as they came. One of a market that turned out to have other tokens is not told.
    settlements: resolutions.flatMap((resolution) => newsOfResolution(state, resolution) ?? []),
  };
}

function forgetPast(state: OracleState, universalId: string): void {
  forgetLandings(state.landings, universalId);
  const { marketsOf, eventOf } = state.events;
  for (const market of marketsOf.get(universalId) ?? []) {
    // One that moved is of another event.
    if (eventOf.get(market) !== universalId) continue;
    state.yesIndexes.delete(market);
    state.unaskedResolutions.delete(market);
  }
}

/** Whether a market has an event and asks its question. */
function asks({ events }: OracleState, market: string): boolean {
  return events.eventOf.has(market) && !events.unused.has(market);
}

function sideOfMarket({ events, yesIndexes }: OracleState, market: string): MarketSide {
  return { yesIndex: yesIndexes.get(market) ?? 0, inverse: events.inverse.has(market) };
}
