/**
 * Steps of the oracle that were told and may have to be told again: because their block is confirmed or dropped, or
 * because their market comes to be known. A phase is never changed here, it is replaced.
 */
import type { Emit } from '#infra/stages/stage';
import { type DisputePhase, disputeTopic } from '#schemas/topics/oracle';
import { dropOldest } from '../../shared/drop-oldest.ts';
import type { CatalogState, OracleNames } from './catalog-state.ts';
import type { OracleRequestIds } from './oracle-ids.ts';

/** Phases whose market is unknown, or not known for certain, that are remembered for the day it is; the newest ones. */
export const UNPLACED_PHASES_MAX = 10_000;

export interface ToldPhase {
  readonly phase: DisputePhase;
  readonly ids: OracleRequestIds;
}

export interface ToldPhases {
  /** Phases of the blocks kept, by id. */
  readonly known: Map<string, ToldPhase>;
  /** Phases told without a market, or before the catalog knew the name that they give it, by id, oldest first. */
  readonly unplaced: Map<string, ToldPhase>;
  /** Their ids by what would tell their market (`namesOf`). */
  readonly waiting: Map<string, Set<string>>;
  /** By request id: its condition, and the block of the log that says so; oldest first. */
  readonly prepared: Map<string, { readonly conditionId: string; readonly blockHash: string }>;
}

export function createToldPhases(): ToldPhases {
  return { known: new Map(), unplaced: new Map(), waiting: new Map(), prepared: new Map() };
}

export type Markets = Pick<CatalogState, 'gammaIds' | 'requestIds'>;

/** The market of a request: by the catalog, by the formula, by the operator's log; null while none of them tells. */
export function marketOfRequest(told: ToldPhases, markets: Markets, ids: OracleRequestIds): string | null {
  const { gammaId, conditionId, questionId } = ids;
  const byName = gammaId === null ? undefined : markets.gammaIds.get(gammaId);
  if (byName !== undefined) return byName;
  if (conditionId !== null) return conditionId;
  return told.prepared.get(questionId)?.conditionId ?? markets.requestIds.get(questionId) ?? null;
}

/**
 * Tells a phase for the first time, or for the first time since it was reverted. It waits for the catalog also where its
 * market follows from the formula, but its text names one that the catalog does not know yet: that name comes first.
 */
export function tellPhase(told: ToldPhases, markets: Markets, next: ToldPhase, emit: Emit): void {
  const { phase, ids } = next;
  told.known.set(phase.id, next);
  const isNamed = ids.gammaId !== null && !markets.gammaIds.has(ids.gammaId);
  if (phase.marketId === null || isNamed) keepUnplaced(told, next);
  emitPhase(phase, emit);
}

/** Tells the phase that a block holds again with another status. A reverted one is forgotten. */
export function retellPhase(
  told: ToldPhases,
  id: string,
  blockHash: string,
  status: 'confirmed' | 'reverted',
  emit: Emit,
): void {
  const known = told.known.get(id);
  if (known?.phase.blockHash !== blockHash || known.phase.status === status) return;
  const next: ToldPhase = { ...known, phase: { ...known.phase, status } };
  if (status === 'reverted') {
    told.known.delete(id);
    removeUnplaced(told, next);
  } else {
    told.known.set(id, next);
    if (told.unplaced.has(id)) told.unplaced.set(id, next);
  }
  emitPhase(next.phase, emit);
}

/** Tells the phases again that waited for this market, where it is another than they were told with. */
export function placePhases(told: ToldPhases, marketId: string, names: OracleNames, emit: Emit): void {
  const ids = [
    ...(names.gammaId === undefined ? [] : (told.waiting.get(gammaName(names.gammaId)) ?? [])),
    ...(names.requestId === undefined ? [] : (told.waiting.get(requestName(names.requestId)) ?? [])),
  ];
  for (const id of new Set(ids)) {
    const waiting = told.unplaced.get(id)!;
    const next: ToldPhase = { ...waiting, phase: { ...waiting.phase, marketId } };
    removeUnplaced(told, waiting);
    if (waiting.phase.marketId === marketId) continue;
    if (told.known.has(id)) told.known.set(id, next);
    emitPhase(next.phase, emit);
  }
}

/** By its market, or its question while that is unknown. */
export function emitPhase(phase: DisputePhase, emit: Emit): void {
  emit(disputeTopic, phase.marketId ?? phase.questionId, phase);
}

const gammaName = (gammaId: string) => `gamma ${gammaId}`;
const requestName = (requestId: string) => `request ${requestId}`;

/** What would tell the market of a request: its catalog entry, or of a neg-risk one which question it is for. */
function namesOf({ gammaId, conditionId, questionId }: OracleRequestIds): string[] {
  const byName = gammaId === null ? [] : [gammaName(gammaId)];
  return conditionId === null ? [...byName, requestName(questionId)] : byName;
}

/** Remembers a phase for the day its market is known. */
export function keepUnplaced(told: ToldPhases, waiting: ToldPhase): void {
  const { id } = waiting.phase;
  removeUnplaced(told, waiting);
  told.unplaced.set(id, waiting);
  for (const name of namesOf(waiting.ids)) {
    const ids = told.waiting.get(name);
    if (ids) ids.add(id);
    else told.waiting.set(name, new Set([id]));
  }
  const drop = (oldest: string) => removeUnplaced(told, told.unplaced.get(oldest)!);
  dropOldest(told.unplaced, UNPLACED_PHASES_MAX, { drop });
}

function removeUnplaced(told: ToldPhases, { phase: { id }, ids }: ToldPhase): void {
  if (!told.unplaced.delete(id)) return;
  for (const name of namesOf(ids)) {
    const waiting = told.waiting.get(name);
    waiting?.delete(id);
    if (waiting?.size === 0) told.waiting.delete(name);
  }
}
