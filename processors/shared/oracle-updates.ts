/**
 * Derives updates from oracle phases and resolutions, with their events: one update for the record, one for its
 * reversal, and a new one when it is included again (`detect-change.ts`, `settlements.ts`). A record that comes before
 * its market's event waits for the event, and a resolution of a market whose link is not used waits until it is
 * (`waiting.ts`). An off-chain resolution from before the service watched the market is stored in the tables only.
 */
import type { MarketSide } from '#schemas/domain/event-outcome';
import { marketKey } from '#schemas/domain/providers';
import { type SettlementRecord, toSettlementRecord } from '#schemas/http/settlement';
import type { UniversalEvent } from '#schemas/topics/derived';
import type { DisputePhase, Resolution } from '#schemas/topics/oracle';
import { detectChange } from './detect-change.ts';
import { relinkEvent } from './event-markets.ts';
import { audienceOf } from './merged-events.ts';
import type { OracleState } from './oracle-state.ts';
import { applyResolution, mayBeReverted, removeSettlements, withdrawCandidates } from './settlements.ts';
import { addWaiting, removeWaiting } from './waiting.ts';

/** Number of newest phases remembered: a confirmed one, too, may come again with another market. */
const PHASES_MAX = 50_000;

/** An off-chain resolution at an unknown time is emitted only if it came this soon after the market's own end. */
const HISTORICAL_AFTER_MS = 86_400_000;

/** A phase to emit. */
export interface PhaseUpdate {
  readonly phase: DisputePhase;
  /** Its event and the events merged with it, the survivor first; empty if it is not for an event. */
  readonly audience: readonly string[];
  /** True if the phase itself is new or changed; false if only its event became known. */
  readonly isNew: boolean;
}

/** A settlement or its reversal, to emit to its event and the events merged with it. */
export interface SettlementUpdate {
  readonly record: SettlementRecord;
  readonly audience: readonly string[];
}

/** Applies a phase record. Returns null if it contains nothing new. */
export function applyPhase(state: OracleState, phase: DisputePhase): PhaseUpdate | null {
  const { id, provider, marketId, status } = phase;
  const market = marketId === null ? null : marketKey(provider, marketId);
  const event = market === null ? undefined : state.events.eventOf.get(market);
  if (market !== null && event === undefined) addWaiting(state.waitingPhases, market, phase);
  const observation = { id, status, market: event === undefined ? null : market, isFinal: false };
  const { isNew, toEvent } = detectChange(state.phases, observation, PHASES_MAX);
  if (!isNew && !toEvent) return null;
  return { phase, audience: toEvent ? audienceOf(state.events, event!) : [], isNew };
}

/**
 * Applies a resolution record and returns the updates to emit, in order. Returns null and changes nothing if its
 * payouts do not fit the tokens of the market as known now. Only a market whose link is used settles its event; the
 * resolution of another one waits until its link is used. Throws `DecimalError`.
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
  return applyResolution(state.settlements, resolution, audience, sideOf).flatMap((change) => {
    const record = settlementRecordOf(change.resolution, change.side);
    // Null for a candidate whose market lists other tokens since then.
    return record === null ? [] : { record, audience: audienceOf(state.events, change.universalId) };
  });
}

/** Builds the record of a settlement or of its reversal. Only a market whose link is used settles its event. */
function settlementRecordOf(resolution: Resolution, side: MarketSide): SettlementRecord | null {
  return toSettlementRecord(resolution, side, true);
}

/**
 * True for an off-chain resolution from before the service watched the market. Its time is unknown, so it may be old
 * unless the market's own end is near.
 */
function isHistorical({ blockNumber, decidedAfter, resolvedAt, endTime }: Resolution): boolean {
  if (blockNumber !== null || decidedAfter !== null) return false;
  return endTime === null || resolvedAt - endTime > HISTORICAL_AFTER_MS;
}

/** Stores a resolution until its market has an event and its link is used. A market is in one of the two maps only. */
function storeResolution(state: OracleState, market: string, resolution: Resolution): void {
  const { events, waitingResolutions, unusedResolutions } = state;
  const [target, other] = events.eventOf.has(market)
    ? [unusedResolutions, waitingResolutions]
    : [waitingResolutions, unusedResolutions];
  for (const one of [...removeWaiting(other, [market]), resolution]) addWaiting(target, market, one);
}

/**
 * Applies the links of a new or changed event; with null the event is archived, and the state of it and its markets is
 * removed. Returns the updates from records that waited for its markets.
 */
export function relinkOracleEvent(
  state: OracleState,
  universalId: string,
  event: UniversalEvent | null,
): { readonly phases: readonly PhaseUpdate[]; readonly settlements: readonly SettlementUpdate[] } {
  if (event === null) removeArchived(state, universalId);
  const markets = relinkEvent(state.events, universalId, event);
  const isWithdrawn = ({ provider, marketId }: Resolution) => !isLinkUsed(state, marketKey(provider, marketId));
  for (const out of withdrawCandidates(state.settlements, isWithdrawn)) {
    storeResolution(state, marketKey(out.provider, out.marketId), out);
  }
  const used = markets.filter((market) => isLinkUsed(state, market));
  const phases = removeWaiting(state.waitingPhases, markets);
  const resolutions = [
    ...removeWaiting(state.waitingResolutions, markets),
    ...removeWaiting(state.unusedResolutions, used),
  ];
  return {
    phases: phases.flatMap((phase) => applyPhase(state, phase) ?? []),
    // They were validated on arrival. A resolution whose market turned out to have other tokens is not emitted.
    settlements: resolutions.flatMap((resolution) => applyMarketResolution(state, resolution) ?? []),
  };
}

function removeArchived(state: OracleState, universalId: string): void {
  removeSettlements(state.settlements, universalId);
  const { marketsOf, eventOf } = state.events;
  for (const market of marketsOf.get(universalId) ?? []) {
    // A market that moved belongs to another event.
    if (eventOf.get(market) !== universalId) continue;
    state.yesIndexes.delete(market);
    state.unusedResolutions.delete(market);
  }
}

/** True if a market has an event and its link there is used. */
function isLinkUsed({ events }: OracleState, market: string): boolean {
  return events.eventOf.has(market) && !events.unused.has(market);
}

function sideOfMarket({ events, yesIndexes }: OracleState, market: string): MarketSide {
  return { yesIndex: yesIndexes.get(market) ?? 0, inverse: events.inverse.has(market) };
}
