/**
 * What there is to tell of the oracle's phases and of resolutions, and to which event, for every stage that tells it:
 * one telling, one reversal, anew when included again (`detect-change.ts`, `settlements.ts`). What comes before its market's
 * event is known waits for it, and a resolution of a market that does not ask its event's question waits until it does
 * (`waiting.ts`). Off chain, what was decided before anyone looked is for the record, and no news to anyone.
 */
import type { MarketSide } from '#schemas/domain/event-outcome';
import { marketKey } from '#schemas/domain/providers';
import { type SettlementRecord, toSettlementRecord } from '#schemas/http/settlement';
import type { UniversalEvent } from '#schemas/topics/derived';
import type { DisputePhase, Resolution } from '#schemas/topics/oracle';
import { relinkEvent } from './event-markets.ts';
import { applyResolution, forgetSettlements, mayBeReverted, withdrawCandidates } from './settlements.ts';
import { audienceOf } from './merged-events.ts';
import type { OracleState } from './oracle-state.ts';
import { addWaiting, removeWaiting } from './waiting.ts';
import { detectChange } from './detect-change.ts';

/** Phases remembered, the newest: a confirmed one too may be told again, with another market. */
export const PHASES_MAX = 50_000;

/** A decision off chain of which nobody knows when it was made is news for so long after the market's own end. */
const HISTORICAL_AFTER_MS = 86_400_000;

/** A phase to tell. */
export interface PhaseUpdate {
  readonly phase: DisputePhase;
  /** Its event and those that are one with it, the survivor first; empty where no event is to hear of it. */
  readonly audience: readonly string[];
  /** Whether it is news beside that; false where only its event became known. */
  readonly isNew: boolean;
}

/** How a market was decided, or that it is taken back, to tell to its event and those that are one with it. */
export interface SettlementUpdate {
  readonly record: SettlementRecord;
  readonly audience: readonly string[];
}

/** Takes a telling of a phase; null where nothing of it is new. */
export function applyPhase(state: OracleState, phase: DisputePhase): PhaseUpdate | null {
  const { id, provider, marketId, status } = phase;
  const market = marketId === null ? null : marketKey(provider, marketId);
  const event = market === null ? undefined : state.events.eventOf.get(market);
  if (market !== null && event === undefined) addWaiting(state.waitingPhases, market, phase);
  const telling = { id, status, market: event === undefined ? null : market, isFinal: false };
  const { isNew, toEvent } = detectChange(state.phases, telling, PHASES_MAX);
  if (!isNew && !toEvent) return null;
  return { phase, audience: toEvent ? audienceOf(state.events, event!) : [], isNew };
}

/**
 * Takes a telling of a resolution and gives what there is to tell, in order; null, with nothing changed, where its payouts
 * do not speak of the market's tokens, as far as those are known by now. Only a market that asks its event's question
 * lands there; what was decided of another one waits for the day its link is used. Throws `DecimalError`.
 */
export function applyMarketResolution(state: OracleState, resolution: Resolution): SettlementUpdate[] | null {
  const sideOf = (one: Resolution) => sideOfMarket(state, marketKey(one.provider, one.marketId));
  if (settlementRecordOf(resolution, sideOf(resolution)) === null) return null;
  if (isHistorical(resolution)) return [];
  const { id, provider, marketId } = resolution;
  const market = marketKey(provider, marketId);
  const event = isLinkUsed(state, market) ? state.events.eventOf.get(market)! : null;
  if (event === null && !mayBeReverted(state.settlements, id)) {
    storeResolution(state, market, resolution);
    return [];
  }
  const audience = event === null ? [] : audienceOf(state.events, event);
  return applyResolution(state.settlements, resolution, audience, sideOf).flatMap((landing) => {
    const record = settlementRecordOf(landing.resolution, landing.side);
    // None of one that waited to be next, where its market has named other tokens since.
    return record === null ? [] : { record, audience: audienceOf(state.events, landing.universalId) };
  });
}

/** The record of a landing or of its reversal. Only a market whose link is used lands. */
function settlementRecordOf(resolution: Resolution, side: MarketSide): SettlementRecord | null {
  return toSettlementRecord(resolution, side, true);
}

/**
 * A decision off chain that was made before anyone looked: when, nobody knows. It may be old unless the market's own end
 * is near.
 */
function isHistorical({ blockNumber, decidedAfter, resolvedAt, endTime }: Resolution): boolean {
  if (blockNumber !== null || decidedAfter !== null) return false;
  return endTime === null || resolvedAt - endTime > HISTORICAL_AFTER_MS;
}

/** Keeps a resolution until its market has an event and asks its question; a market stands in one of the maps alone. */
function storeResolution(state: OracleState, market: string, resolution: Resolution): void {
  const { events, waitingResolutions, unusedResolutions: unaskedResolutions } = state;
  const [target, other] = events.eventOf.has(market)
    ? [unaskedResolutions, waitingResolutions]
    : [waitingResolutions, unaskedResolutions];
  for (const one of [...removeWaiting(other, [market]), resolution]) addWaiting(target, market, one);
}

/**
 * Takes the links of a new or changed event; null says that it is past: what it and its markets were known by is
 * forgotten. Gives what there is to tell of what waited for its markets.
 */
export function relinkOracleEvent(
  state: OracleState,
  universalId: string,
  event: UniversalEvent | null,
): { readonly phases: readonly PhaseUpdate[]; readonly settlements: readonly SettlementUpdate[] } {
  if (event === null) forgetArchived(state, universalId);
  const markets = relinkEvent(state.events, universalId, event);
  const isOut = ({ provider, marketId }: Resolution) => !isLinkUsed(state, marketKey(provider, marketId));
  for (const out of withdrawCandidates(state.settlements, isOut)) {
    storeResolution(state, marketKey(out.provider, out.marketId), out);
  }
  const asking = markets.filter((market) => isLinkUsed(state, market));
  const phases = removeWaiting(state.waitingPhases, markets);
  const resolutions = [
    ...removeWaiting(state.waitingResolutions, markets),
    ...removeWaiting(state.unusedResolutions, asking),
  ];
  return {
    phases: phases.flatMap((phase) => applyPhase(state, phase) ?? []),
    // They were found good as they came. One of a market that turned out to have other tokens is not told.
    settlements: resolutions.flatMap((resolution) => applyMarketResolution(state, resolution) ?? []),
  };
}

function forgetArchived(state: OracleState, universalId: string): void {
  forgetSettlements(state.settlements, universalId);
  const { marketsOf, eventOf } = state.events;
  for (const market of marketsOf.get(universalId) ?? []) {
    // One that moved is of another event.
    if (eventOf.get(market) !== universalId) continue;
    state.yesIndexes.delete(market);
    state.unusedResolutions.delete(market);
  }
}

/** Whether a market has an event and asks its question. */
function isLinkUsed({ events }: OracleState, market: string): boolean {
  return events.eventOf.has(market) && !events.unused.has(market);
}

function sideOfMarket({ events, yesIndexes }: OracleState, market: string): MarketSide {
  return { yesIndex: yesIndexes.get(market) ?? 0, inverse: events.inverse.has(market) };
}
