/** Maintains the series of followed accounts: what the newest response of the venue states about each window. */
import { on, type Stage } from '#infra/stages/stage';
import { accountFlowTopics, flowCoverageTopics } from '#schemas/topics/account-flows';
import { accountSeriesTopic } from '#schemas/topics/account-series';
import { type ControlChange, changeTopic } from '#schemas/topics/control';
import { type RawEnvelope, rawTopic } from '#schemas/topics/raw';
import { onChange } from './on-change.ts';
import { onPortfolio, onUserPnl } from './on-response.ts';
import { createSeriesState, type SeriesState } from './state.ts';

export function createSeriesStage(): Stage<SeriesState> {
  return {
    name: 'series',
    // The state contains the control state, so raise this with `CONTROL_STATE_VERSION`.
    stateVersion: 1,
    slicedMaps: ['control.idempotency.current.answers', 'control.idempotency.previous.answers', 'followed'],
    inputs: [
      on<SeriesState, ControlChange>(changeTopic, onChange),
      on<SeriesState, RawEnvelope>(rawTopic('venue_a', 'info'), onPortfolio),
      on<SeriesState, RawEnvelope>(rawTopic('venue_b', 'pnl'), onUserPnl),
    ],
    outputs: [accountSeriesTopic, accountFlowTopics.venue_a, flowCoverageTopics.venue_a],
    initialState: createSeriesState,
  };
}
