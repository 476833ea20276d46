/**
 * Which resolution of an event counts as landed: the first one of each provider (contract, Markets, Settlement record).
 * A reversal takes it back; then the next one that stands lands, or the same one again when it is included again.
 */
import type { MarketSide } from '#schemas/domain/event-outcome';
import { PROVIDERS } from '#schemas/domain/providers';
import type { Resolution } from '#schemas/topics/oracle';
import { dropOldest } from './drop-oldest.ts';

/** A landed resolution that may still be taken back. */
interface Unconfirmed {
  readonly universalId: string;
  readonly provider: string;
  /** How its market stood to the event when it landed: what takes it back tells the same outcome. */
  readonly side: MarketSide;
  readonly reverted: boolean;
}

/** Part of a stage's state. */
export interface Settlements {
  /** Id of the resolution that stands, by `universalId|provider`; bounded by the events that are not past. */
  readonly settledBy: Map<string, Resolution['id']>;
  /** By resolution id, the oldest first; `UNSURE_MAX` at most. */
  readonly unconfirmed: Map<Resolution['id'], Unconfirmed>;
  /** Later resolutions of the provider while the landed one is unsure, by `universalId|provider`. */
  readonly candidates: Map<string, readonly Resolution[]>;
}

/** A resolution to tell to an event: that it landed, or that it is taken back. */
export interface SettlementChange {
  readonly universalId: string;
  readonly resolution: Resolution;
  readonly side: MarketSide;
}

/** How the market of a resolution stands to its event by now. */
export type SideOf = (resolution: Resolution) => MarketSide;

/** Resolutions that are remembered until they are confirmed: those of some minutes, but for reverted ones. */
export const UNCONFIRMED_MAX = 10_000;

export function createSettlements(): Settlements {
  return { settledBy: new Map(), unconfirmed: new Map(), candidates: new Map() };
}

/** Whether a resolution has landed and may still be taken back, whatever has become of its market's event since. */
export function mayBeReverted(state: Settlements, id: Resolution['id']): boolean {
  return state.unconfirmed.get(id)?.reverted === false;
}

/**
 * Takes a telling of a resolution of a market that asks its event's question; `audience` is the event and those that are
 * one with it. Gives what there is to tell, in order.
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
    return unconfirmed && !unconfirmed.reverted ? revert(state, resolution, unconfirmed, sideOf) : dropCandidate(state, resolution, audience);
  if (unconfirmed && !unconfirmed.reverted) {
    if (status === 'confirmed') confirmSettlement(state, id, unconfirmed);
    return [];
  }
  const key = audience.map((event) => keyOf(event, provider)).find((one) => state.settledBy.has(one));
  if (key === undefined) return [settle(state, resolution, audience[0]!, sideOf)];
  const settledBy = state.settledBy.get(key)!;
  // A landed one that was confirmed stays, so that nothing comes after it.
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

function revert(state: Settlements, resolution: Resolution, unconfirmed: Unconfirmed, sideOf: SideOf): SettlementChange[] {
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

/** It is sure now, and so is that no other one lands. */
function confirmSettlement(state: Settlements, id: Resolution['id'], { universalId, provider }: Unconfirmed): void {
  state.unconfirmed.delete(id);
  state.candidates.delete(keyOf(universalId, provider));
}

function addCandidate(state: Settlements, key: string, resolution: Resolution): void {
  const candidates = state.candidates.get(key) ?? [];
  const at = candidates.findIndex(({ id }) => id === resolution.id);
  state.candidates.set(key, at < 0 ? [...candidates, resolution] : candidates.with(at, resolution));
}

/** Takes out the resolutions that would land next and are of markets which do not ask their event's question any more. */
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

/** Forgets what landed on an event that is past. A reversal that comes yet is told all the same. */
export function forgetSettlements(state: Settlements, universalId: string): void {
  for (const provider of PROVIDERS) {
    state.settledBy.delete(keyOf(universalId, provider));
    state.candidates.delete(keyOf(universalId, provider));
  }
}

/** One that never landed is gone without a word. */
function dropCandidate(state: Settlements, { id, provider }: Resolution, audience: readonly string[]): SettlementChange[] {
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
  dropOldest(state.unconfirmed, UNCONFIRMED_MAX, { drop: (oldest) => confirmSettlement(state, oldest, state.unconfirmed.get(oldest)!) });
}

function keyOf(universalId: string, provider: string): string {
  return `${universalId}|${provider}`;
}
