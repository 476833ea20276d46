/**
 * Decides which resolution settles an event: the first one of each provider (contract, Markets, Settlement record). A
 * reversal undoes the settlement; then the next valid resolution settles the event, or the same one once included
 * again.
 */
import type { MarketSide } from '#schemas/domain/event-outcome';
import { PROVIDERS } from '#schemas/domain/providers';
import type { Resolution } from '#schemas/topics/oracle';
import { dropOldest } from './drop-oldest.ts';

/** A resolution that settled an event and may still be reverted. */
interface Unconfirmed {
  readonly universalId: string;
  readonly provider: string;
  /** The market's side of the event at the time of settlement, so that the reversal reports the same outcome. */
  readonly side: MarketSide;
  readonly reverted: boolean;
}

/** Part of a stage's state. */
export interface Settlements {
  /** Id of the valid resolution, by `universalId|provider`; bounded by the events that are not archived. */
  readonly settledBy: Map<string, Resolution['id']>;
  /** Unconfirmed settlements by resolution id, the oldest first; at most `UNCONFIRMED_MAX`. */
  readonly unconfirmed: Map<Resolution['id'], Unconfirmed>;
  /** Later resolutions of the provider while the first one is unconfirmed, by `universalId|provider`. */
  readonly candidates: Map<string, readonly Resolution[]>;
}

/** A resolution that settled an event, or one that did and was reverted. */
export interface SettlementChange {
  readonly universalId: string;
  readonly resolution: Resolution;
  readonly side: MarketSide;
}

/** Returns the current side of its event for the market of a resolution. */
export type SideOf = (resolution: Resolution) => MarketSide;

/** Greatest number of resolutions remembered until they are confirmed: those of some minutes, and reverted ones. */
export const UNCONFIRMED_MAX = 10_000;

export function createSettlements(): Settlements {
  return { settledBy: new Map(), unconfirmed: new Map(), candidates: new Map() };
}

/** True if a resolution settled an event and may still be reverted, whatever happened to its market's event since. */
export function mayBeReverted(state: Settlements, id: Resolution['id']): boolean {
  return state.unconfirmed.get(id)?.reverted === false;
}

/**
 * Applies a resolution record of a market whose link is used. `audience` is the event and the events merged with it.
 * Returns the changes to emit, in order.
 */
export function applyResolution(
  state: Settlements,
  resolution: Resolution,
  audience: readonly string[],
  sideOf: SideOf,
): readonly SettlementChange[] {
  const { id, provider, status } = resolution;
  const unconfirmed = state.unconfirmed.get(id);
  if (status === 'reverted')
    return unconfirmed && !unconfirmed.reverted
      ? revert(state, resolution, unconfirmed, sideOf)
      : dropCandidate(state, resolution, audience);
  if (unconfirmed && !unconfirmed.reverted) {
    if (status === 'confirmed') confirmSettlement(state, id, unconfirmed);
    return [];
  }
  const key = audience.map((event) => keyOf(event, provider)).find((one) => state.settledBy.has(one));
  if (key === undefined) return [settle(state, resolution, audience[0]!, sideOf)];
  const settledBy = state.settledBy.get(key)!;
  // A confirmed settlement is final, so no candidates are needed after it.
  if (settledBy !== id && state.unconfirmed.has(settledBy)) addCandidate(state, key, resolution);
  return [];
}

function settle(state: Settlements, resolution: Resolution, universalId: string, sideOf: SideOf): SettlementChange {
  const { id, provider, status } = resolution;
  const side = sideOf(resolution);
  state.settledBy.set(keyOf(universalId, provider), id);
  state.unconfirmed.delete(id);
  if (status === 'pending') remember(state, id, { universalId, provider, side, reverted: false });
  return { universalId, resolution, side };
}

function revert(
  state: Settlements,
  resolution: Resolution,
  unconfirmed: Unconfirmed,
  sideOf: SideOf,
): SettlementChange[] {
  const { universalId, provider, side } = unconfirmed;
  const key = keyOf(universalId, provider);
  state.settledBy.delete(key);
  remember(state, resolution.id, { ...unconfirmed, reverted: true });
  const reverted: SettlementChange = { universalId, resolution, side };
  const [first, ...others] = state.candidates.get(key) ?? [];
  state.candidates.delete(key);
  if (first === undefined) return [reverted];
  const settled = settle(state, first, universalId, sideOf);
  if (others.length > 0 && first.status === 'pending') state.candidates.set(key, others);
  return [reverted, settled];
}

/** Marks a settlement as final, so that no candidate can replace it. A reverted one may have been replaced already. */
function confirmSettlement(state: Settlements, id: Resolution['id'], { universalId, provider }: Unconfirmed): void {
  state.unconfirmed.delete(id);
  const key = keyOf(universalId, provider);
  if (state.settledBy.get(key) === id) state.candidates.delete(key);
}

function addCandidate(state: Settlements, key: string, resolution: Resolution): void {
  const candidates = state.candidates.get(key) ?? [];
  const at = candidates.findIndex(({ id }) => id === resolution.id);
  state.candidates.set(key, at < 0 ? [...candidates, resolution] : candidates.with(at, resolution));
}

/** Removes and returns the candidates that are withdrawn, because the link of their market is no longer used. */
export function withdrawCandidates(state: Settlements, isWithdrawn: (resolution: Resolution) => boolean): Resolution[] {
  const withdrawn: Resolution[] = [];
  for (const [key, candidates] of state.candidates) {
    const rest = candidates.filter((resolution) => !isWithdrawn(resolution));
    if (rest.length === candidates.length) continue;
    withdrawn.push(...candidates.filter(isWithdrawn));
    if (rest.length > 0) state.candidates.set(key, rest);
    else state.candidates.delete(key);
  }
  return withdrawn;
}

/** Removes the settlements of an archived event. A later reversal is still emitted. */
export function removeSettlements(state: Settlements, universalId: string): void {
  for (const provider of PROVIDERS) {
    state.settledBy.delete(keyOf(universalId, provider));
    state.candidates.delete(keyOf(universalId, provider));
  }
}

/** Removes a reverted candidate. It never settled the event, so there is nothing to emit. */
function dropCandidate(
  state: Settlements,
  { id, provider }: Resolution,
  audience: readonly string[],
): SettlementChange[] {
  for (const event of audience) {
    const key = keyOf(event, provider);
    const rest = state.candidates.get(key)?.filter((one) => one.id !== id);
    if (rest?.length === 0) state.candidates.delete(key);
    else if (rest) state.candidates.set(key, rest);
  }
  return [];
}

function remember(state: Settlements, id: Resolution['id'], unconfirmed: Unconfirmed): void {
  state.unconfirmed.delete(id);
  state.unconfirmed.set(id, unconfirmed);
  dropOldest(state.unconfirmed, UNCONFIRMED_MAX, {
    drop: (oldest) => confirmSettlement(state, oldest, state.unconfirmed.get(oldest)!),
  });
}

function keyOf(universalId: string, provider: string): string {
  return `${universalId}|${provider}`;
}
