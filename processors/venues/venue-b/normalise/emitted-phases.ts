/**
 * Dispute phases that were emitted and may be emitted again, because their block is confirmed or dropped, or because
 * their market becomes known. A phase is never changed in place, it is replaced.
 */
import type { Emit } from '#infra/stages/stage';
import { type DisputePhase, disputeTopic } from '#schemas/topics/oracle';
import { dropOldest } from '../../../shared/drop-oldest.ts';
import type { CatalogState, OracleNames } from './catalog-state.ts';
import type { OracleRequestIds } from './oracle-ids.ts';

/** Newest phases stored until their market is known for certain. */
export const UNASSIGNED_PHASES_MAX = 10_000;

export interface EmittedPhase {
  readonly phase: DisputePhase;
  readonly ids: OracleRequestIds;
}

export interface EmittedPhases {
  /** Phases of the stored blocks, by id. */
  readonly known: Map<string, EmittedPhase>;
  /** Phases emitted without a market, or before the catalog listed the id in their text, by id, oldest first. */
  readonly unassigned: Map<string, EmittedPhase>;
  /** Ids of unassigned phases by the names that lead to their market (`namesOf`). */
  readonly idsByName: Map<string, Set<string>>;
  /** Condition by request id, with the block of the log that states it; oldest first. */
  readonly prepared: Map<string, { readonly conditionId: string; readonly blockHash: string }>;
}

export function createEmittedPhases(): EmittedPhases {
  return { known: new Map(), unassigned: new Map(), idsByName: new Map(), prepared: new Map() };
}

export type Markets = Pick<CatalogState, 'gammaIds' | 'requestIds'>;

/** Returns the market of a request by the catalog, the formula or the operator's log; null if none of them has it. */
export function marketOfRequest(phases: EmittedPhases, markets: Markets, ids: OracleRequestIds): string | null {
  const { gammaId, conditionId, questionId } = ids;
  const byName = gammaId === null ? undefined : markets.gammaIds.get(gammaId);
  if (byName !== undefined) return byName;
  if (conditionId !== null) return conditionId;
  return phases.prepared.get(questionId)?.conditionId ?? markets.requestIds.get(questionId) ?? null;
}

/**
 * Emits a phase for the first time, or for the first time since it was reverted. It is stored as unassigned also where
 * its market follows from the formula while its text names one that the catalog does not list yet: that name outranks.
 */
export function emitNewPhase(phases: EmittedPhases, markets: Markets, next: EmittedPhase, emit: Emit): void {
  const { phase, ids } = next;
  phases.known.set(phase.id, next);
  const isNamed = ids.gammaId !== null && !markets.gammaIds.has(ids.gammaId);
  if (phase.marketId === null || isNamed) addUnassigned(phases, next);
  emitPhase(phase, emit);
}

/** Emits the phase of a block again with another status. A reverted phase is removed. */
export function updatePhaseStatus(
  phases: EmittedPhases,
  id: string,
  blockHash: string,
  status: 'confirmed' | 'reverted',
  emit: Emit,
): void {
  const known = phases.known.get(id);
  if (known?.phase.blockHash !== blockHash || known.phase.status === status) return;
  const next: EmittedPhase = { ...known, phase: { ...known.phase, status } };
  if (status === 'reverted') {
    phases.known.delete(id);
    removeUnassigned(phases, next);
  } else {
    phases.known.set(id, next);
    if (phases.unassigned.has(id)) phases.unassigned.set(id, next);
  }
  emitPhase(next.phase, emit);
}

/** Emits the phases that waited for this market again, unless they were emitted with it before. */
export function assignPhaseMarket(phases: EmittedPhases, marketId: string, names: OracleNames, emit: Emit): void {
  const ids = [
    ...(names.gammaId === undefined ? [] : (phases.idsByName.get(gammaName(names.gammaId)) ?? [])),
    ...(names.requestId === undefined ? [] : (phases.idsByName.get(requestName(names.requestId)) ?? [])),
  ];
  for (const id of new Set(ids)) {
    const waiting = phases.unassigned.get(id)!;
    const next: EmittedPhase = { ...waiting, phase: { ...waiting.phase, marketId } };
    removeUnassigned(phases, waiting);
    if (waiting.phase.marketId === marketId) continue;
    if (phases.known.has(id)) phases.known.set(id, next);
    emitPhase(next.phase, emit);
  }
}

/** Emits a phase under its market, or under its question while the market is unknown. */
export function emitPhase(phase: DisputePhase, emit: Emit): void {
  emit(disputeTopic, phase.marketId ?? phase.questionId, phase);
}

const gammaName = (gammaId: string) => `gamma ${gammaId}`;
const requestName = (requestId: string) => `request ${requestId}`;

/** Returns the names that lead to the market of a request: gamma's id, and for a neg-risk request the request id. */
function namesOf({ gammaId, conditionId, questionId }: OracleRequestIds): string[] {
  const byName = gammaId === null ? [] : [gammaName(gammaId)];
  return conditionId === null ? [...byName, requestName(questionId)] : byName;
}

/** Stores a phase until its market is known. */
export function addUnassigned(phases: EmittedPhases, waiting: EmittedPhase): void {
  const { id } = waiting.phase;
  removeUnassigned(phases, waiting);
  phases.unassigned.set(id, waiting);
  for (const name of namesOf(waiting.ids)) {
    const ids = phases.idsByName.get(name);
    if (ids) ids.add(id);
    else phases.idsByName.set(name, new Set([id]));
  }
  const drop = (oldest: string) => removeUnassigned(phases, phases.unassigned.get(oldest)!);
  dropOldest(phases.unassigned, UNASSIGNED_PHASES_MAX, { drop });
}

function removeUnassigned(phases: EmittedPhases, { phase: { id }, ids }: EmittedPhase): void {
  if (!phases.unassigned.delete(id)) return;
  for (const name of namesOf(ids)) {
    const waiting = phases.idsByName.get(name);
    waiting?.delete(id);
    if (waiting?.size === 0) phases.idsByName.delete(name);
  }
}
