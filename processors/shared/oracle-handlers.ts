/** What every stage that tells of the oracle does with a phase, a resolution and an event: what is new goes to its tellers. */
import type { Emit, StageEvent } from '#infra/stages/stage';
import type { UniversalEvent } from '#schemas/topics/derived';
import type { DisputePhase, Resolution } from '#schemas/topics/oracle';
import {
  newsOfPhase,
  newsOfResolution,
  type PhaseNews,
  relinkOracleEvent,
  type SettlementRecordNews,
} from './oracle-news.ts';
import type { OracleState } from './oracle-state.ts';

/** How a stage tells one piece of news; `receivedAt` is the pipeline's time of what it follows from, unix ms. */
export interface OracleTellers<S> {
  readonly tellPhase: (state: S, news: PhaseNews, receivedAt: number, emit: Emit) => void;
  readonly tellSettlement: (state: S, news: SettlementRecordNews, receivedAt: number, emit: Emit) => void;
}

/** For a stage's inputs. */
export interface OracleHandlers<S> {
  readonly onPhase: (state: S, event: StageEvent<DisputePhase>, emit: Emit) => void;
  /** Tells the first resolution of each provider, and what takes it back. */
  readonly onResolution: (state: S, event: StageEvent<Resolution>, emit: Emit) => void;
  /** Takes a new or changed event (null says that it is past), and tells what waited for it. */
  readonly onEvent: (state: S, event: StageEvent<UniversalEvent | null>, emit: Emit) => void;
}

export function oracleHandlers<S extends OracleState>(tellers: OracleTellers<S>): OracleHandlers<S> {
  const { tellPhase, tellSettlement } = tellers;
  return {
    onPhase(state, { value, receivedAt }, emit) {
      const news = newsOfPhase(state, value);
      if (news) tellPhase(state, news, receivedAt, emit);
    },
    onResolution(state, { value, receivedAt }, emit) {
      const news = newsOfResolution(state, value);
      if (!news) {
        emit.dead('no_payout', `${value.id} does not say what YES is paid`);
        return;
      }
      for (const one of news) tellSettlement(state, one, receivedAt, emit);
    },
    onEvent(state, { key, value, receivedAt }, emit) {
      const { phases, settlements } = relinkOracleEvent(state, key, value);
      for (const news of phases) tellPhase(state, news, receivedAt, emit);
      for (const news of settlements) tellSettlement(state, news, receivedAt, emit);
    },
  };
}
