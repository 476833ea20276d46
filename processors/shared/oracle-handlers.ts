/** Handlers for phases, resolutions and events, shared by the stages that emit oracle updates. */
import type { Emit, StageRecord } from '#infra/stages/stage';
import type { UniversalEvent } from '#schemas/topics/derived';
import type { DisputePhase, Resolution } from '#schemas/topics/oracle';
import type { OracleState } from './oracle-state.ts';
import {
  applyMarketResolution,
  applyPhase,
  type PhaseUpdate,
  relinkOracleEvent,
  type SettlementUpdate,
} from './oracle-updates.ts';

/** How a stage emits one update; `receivedAt` is the event time of its cause, unix ms. */
export interface OracleEmitters<S> {
  readonly emitPhase: (state: S, update: PhaseUpdate, receivedAt: number, emit: Emit) => void;
  readonly emitSettlement: (state: S, update: SettlementUpdate, receivedAt: number, emit: Emit) => void;
}

/** Handlers for a stage's inputs. */
export interface OracleHandlers<S> {
  readonly onPhase: (state: S, record: StageRecord<DisputePhase>, emit: Emit) => void;
  /** Emits the first resolution of each provider, and its reversal. */
  readonly onResolution: (state: S, record: StageRecord<Resolution>, emit: Emit) => void;
  /** Applies a new or changed event (null if it is archived), and emits the updates that waited for it. */
  readonly onEvent: (state: S, record: StageRecord<UniversalEvent | null>, emit: Emit) => void;
}

export function createOracleHandlers<S extends OracleState>(emitters: OracleEmitters<S>): OracleHandlers<S> {
  const { emitPhase, emitSettlement } = emitters;
  return {
    onPhase(state, { value, receivedAt }, emit) {
      const update = applyPhase(state, value);
      if (update) emitPhase(state, update, receivedAt, emit);
    },
    onResolution(state, { value, receivedAt }, emit) {
      const updates = applyMarketResolution(state, value);
      if (!updates) {
        emit.deadLetter('no_payout', `${value.id} does not state what YES is paid`);
        return;
      }
      for (const update of updates) emitSettlement(state, update, receivedAt, emit);
    },
    onEvent(state, { key, value, receivedAt }, emit) {
      const { phases, settlements } = relinkOracleEvent(state, key, value);
      for (const update of phases) emitPhase(state, update, receivedAt, emit);
      for (const update of settlements) emitSettlement(state, update, receivedAt, emit);
    },
  };
}
