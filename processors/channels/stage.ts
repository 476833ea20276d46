/**
 * The derived channels of `/v1/stream` (specification, WebSocket stream): every event of a channel gets its number and
 * its payload here, once, so that all gateway nodes tell the same bytes. The channels of an event that was merged into
 * another carry the survivor's events.
 */
import { type Emit, on, onKeyed, type Stage, type StageEvent } from '#infra/stages/stage';
import { toArbitrageRecord } from '#schemas/http/arbitrage';
import { toSpreadSnapshot } from '#schemas/http/spread';
import { formatChannel } from '#schemas/stream/channel-names';
import { type Anomaly, anomalyTopic } from '#schemas/topics/anomalies';
import { channelTopics } from '#schemas/topics/channels';
import {
  type Arbitrage,
  arbitrageTopic,
  eventTopic,
  type Spread,
  spreadTopic,
  type UniversalEvent,
} from '#schemas/topics/derived';
import { type Market, marketTopics, type Trade, tradeTopics } from '#schemas/topics/normalised';
import { type DisputePhase, disputeTopic, type Resolution, resolutionTopics } from '#schemas/topics/oracle';
import { forgetInactiveChannels } from '../shared/channel-seqs.ts';
import { audienceOf } from '../shared/merged-events.ts';
import { ORACLE_SLICES, updateYesIndex } from '../shared/oracle-state.ts';
import { type FrameBody, emitFrame } from '../shared/emit-frame.ts';
import { type ChannelsState, createChannelsState } from './state.ts';
import { emitAnomaly } from './emit-anomaly.ts';
import { oracle } from './emit-oracle.ts';
import { emitTrade } from './emit-trade.ts';

export interface ChannelsOptions {
  /**
   * Trades remembered for a later telling. Those of a chain are pending for some minutes, others are remembered only
   * while their market is unknown; one told again after it was forgotten is taken for a new one.
   */
  readonly rememberedTradesMax?: number;
}

const REMEMBERED_TRADES_MAX = 200_000;

/** The stage `channels`. */
export function createChannelsStage({ rememberedTradesMax: rememberedTradesMax = REMEMBERED_TRADES_MAX }: ChannelsOptions = {}): Stage<ChannelsState> {
  return {
    name: 'channels',
    stateVersion: 5,
    // `told` tells by id alone.
    slicedMaps: [...ORACLE_SLICES, 'emittedTrades', 'seqs.active', 'seqs.inactive', 'seqs.due'],
    inputs: [
      ...Object.values(marketTopics).map((topic) =>
        // No catalog removes a market; the stage that makes events says so where one does.
        onKeyed<ChannelsState, Market>(topic, (state, { value }) => value && updateYesIndex(state, value)),
      ),
      onKeyed<ChannelsState, UniversalEvent>(eventTopic, onEvent),
      on<ChannelsState, Spread>(spreadTopic, onSpread),
      on<ChannelsState, Arbitrage>(arbitrageTopic, onArbitrage),
      on<ChannelsState, Anomaly>(anomalyTopic, (state, { value, receivedAt }, emit) =>
        emitAnomaly(state, value, receivedAt, emit),
      ),
      on<ChannelsState, DisputePhase>(disputeTopic, oracle.onPhase),
      ...Object.values(resolutionTopics).map((topic) => on<ChannelsState, Resolution>(topic, oracle.onResolution)),
      ...Object.values(tradeTopics).map((topic) =>
        on<ChannelsState, Trade>(topic, (state, { value, receivedAt }, emit) =>
          emitTrade(state, value, receivedAt, emit, rememberedTradesMax),
        ),
      ),
    ],
    outputs: [channelTopics.events],
    initialState: createChannelsState,
  };
}

function onEvent(state: ChannelsState, event: StageEvent<UniversalEvent | null>, emit: Emit): void {
  oracle.onEvent(state, event, emit);
  const { marketsOf, survivors } = state.events;
  forgetInactiveChannels(
    state.seqs,
    channelTopics.events,
    event.receivedAt,
    // An event is known until it is past; channels of no event are a handful.
    (channel) =>
      !('universalId' in channel) || marketsOf.has(channel.universalId) || survivors.has(channel.universalId),
  );
}

function onSpread(state: ChannelsState, { value, receivedAt }: StageEvent<Spread>, emit: Emit): void {
  const body = bodyOf('event.spread', value, receivedAt, JSON.stringify(toSpreadSnapshot(value)));
  for (const universalId of audienceOf(state.events, value.universalId)) {
    emitFrame(state.seqs, channelTopics.events, formatChannel({ kind: 'event', universalId }), body, emit);
  }
}

function onArbitrage(state: ChannelsState, { value, receivedAt }: StageEvent<Arbitrage>, emit: Emit): void {
  const body = bodyOf('event.arbitrage', value, receivedAt, JSON.stringify(toArbitrageRecord(value)));
  for (const universalId of audienceOf(state.events, value.universalId)) {
    emitFrame(state.seqs, channelTopics.events, formatChannel({ kind: 'arbitrage', universalId }), body, emit);
  }
}

function bodyOf(type: string, cause: Spread | Arbitrage, receivedAt: number, payload: string): FrameBody {
  return { type, provider: cause.causeProvider, marketId: cause.causeMarketId, receivedAt, payload };
}
