/**
 * Maintains the series of followed accounts: what the newest response of the venue states about each window. And the
 * flows: of those of venue_a from its ledger updates, of those of venue_b from transfers on the chain.
 */
import { on, onKeyed, type Stage } from '#infra/stages/stage';
import { accountFlowTopics, flowCoverageTopics } from '#schemas/topics/account-flows';
import { accountSeriesTopic } from '#schemas/topics/account-series';
import { type Candle, venueCandleTopics } from '#schemas/topics/candles';
import { type CollateralChange, collateralChangeTopic } from '#schemas/topics/collateral-changes';
import { type ControlChange, changeTopic } from '#schemas/topics/control';
import { type Instrument, instrumentTopics } from '#schemas/topics/normalised';
import { type RawEnvelope, rawTopic } from '#schemas/topics/raw';
import { onCollateralChange } from './chain-flows.ts';
import { onBar, onInstrument } from './flows.ts';
import { onChange } from './on-change.ts';
import { onInfo, onUserPnl } from './on-response.ts';
import { createSeriesState, type SeriesState } from './state.ts';

export function createSeriesStage(): Stage<SeriesState> {
  return {
    name: 'series',
    // The state contains the control state, so raise this with `CONTROL_STATE_VERSION`.
    stateVersion: 3,
    slicedMaps: ['control.idempotency.current.answers', 'control.idempotency.previous.answers', 'followed', 'wanting'],
    inputs: [
      on<SeriesState, ControlChange>(changeTopic, onChange),
      on<SeriesState, RawEnvelope>(rawTopic('venue_a', 'info'), onInfo),
      on<SeriesState, RawEnvelope>(rawTopic('venue_b', 'pnl'), onUserPnl),
      on<SeriesState, CollateralChange>(collateralChangeTopic, onCollateralChange),
      onKeyed<SeriesState, Instrument>(instrumentTopics.venue_a, onInstrument),
      on<SeriesState, Candle>(venueCandleTopics.venue_a, onBar),
    ],
    outputs: [accountSeriesTopic, ...Object.values(accountFlowTopics), ...Object.values(flowCoverageTopics)],
    initialState: createSeriesState,
  };
}
