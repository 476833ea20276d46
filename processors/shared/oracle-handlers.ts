/** What every stage that tells of the oracle does with a phase, a resolution and an event: what is new goes to its tellers. */
import type { Emit, StageEvent } from '#infra/stages/stage';
import type { UniversalEvent } from '#schemas/topics/derived';
import type { DisputePhase, Resolution } from '#schemas/topics/oracle';
import {
  applyPhase,
  applyMarketResolution,
  type PhaseUpdate,
  relinkOracleEvent,
  type SettlementUpdate,
} from './oracle-updates.ts';
import type { OracleState } from './oracle-state.ts';

/** How a stage tells one piece of news; `receivedAt` is the pipeline's time of what it follows from, unix ms. */
export interface OracleEmitters<S> {
  readonly emitPhase: (state: S, news: PhaseUpdate, receivedAt: number, emit: Emit) => void;
  readonly emitSettlement: (state: S, news: SettlementUpdate, receivedAt: number, emit: Emit) => void;
}

/** For a stage's inputs. */
export interface OracleHandlers<S> {
  readonly onPhase: (state: S, event: StageEvent<DisputePhase>, emit: Emit) => void;
  /** Tells the first resolution of each provider, and what takes it back. */
  readonly onResolution: (state: S, event: StageEvent<Resolution>, emit: Emit) => void;
  /** Takes a new or changed event (null says that it is past), and tells what waited for it. */
  readonly onEvent: (state: S, event: StageEvent<UniversalEvent | null>, emit: Emit) => void;
}

export function oracleHandlers<S extends OracleState>(emitters: OracleEmitters<S>): OracleHandlers<S> {
  const { emitPhase: emitPhase, emitSettlement: emitSettlement } = emitters;
  return {
    onPhase(state, { value, receivedAt }, emit) {
      const news = applyPhase(state, value);
      if (news) emitPhase(state, news, receivedAt, emit);
    },
    onResolution(state, { value, receivedAt }, emit) {
      const news = applyMarketResolution(state, value);
      if (!news) {
        emit.dead('no_payout', `${value.id} does not say what YES is paid`);
        return;
      }
      for (const one of news) emitSettlement(state, one, receivedAt, emit);
    },
    onEvent(state, { key, value, receivedAt }, emit) {
      const { phases, settlements } = relinkOracleEvent(state, key, value);
      for (const news of phases) emitPhase(state, news, receivedAt, emit);
      for (const news of settlements) emitSettlement(state, news, receivedAt, emit);
    },
  };
}
