/**
 * Emits the derived channels of `/v1/stream` (specification, WebSocket stream). Every frame gets its number and payload
 * here, once, so that all gateway nodes send the same bytes. The channels of a merged event carry the survivor's
 * frames.
 */
import { type Emit, on, onKeyed, type Stage, type StageRecord } from '#infra/stages/stage';
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
import { expireInactiveChannels } from '../shared/channel-seqs.ts';
import { emitFrame, type FrameBody } from '../shared/emit-frame.ts';
import { audienceOf } from '../shared/merged-events.ts';
import { ORACLE_SLICES, updateYesIndex } from '../shared/oracle-state.ts';
import { emitAnomaly } from './emit-anomaly.ts';
import { oracleHandlers } from './emit-oracle.ts';
import { emitTrade } from './emit-trade.ts';
import { type ChannelsState, createChannelsState } from './state.ts';

export interface ChannelsOptions {
  /**
   * Greatest number of trades remembered in case their record comes again. Chain trades are remembered for the minutes
   * until they are confirmed, others only while their market is unknown. A trade that comes again later counts as new.
   */
  readonly rememberedTradesMax?: number;
}

const REMEMBERED_TRADES_MAX = 200_000;

/** Creates the stage `channels`. */
export function createChannelsStage({
  rememberedTradesMax = REMEMBERED_TRADES_MAX,
}: ChannelsOptions = {}): Stage<ChannelsState> {
  return {
    name: 'channels',
    stateVersion: 5,
    // Entries of `emittedTrades` are found by id only.
    slicedMaps: [...ORACLE_SLICES, 'emittedTrades', 'seqs.active', 'seqs.inactive', 'seqs.due'],
    inputs: [
      ...Object.values(marketTopics).map((topic) =>
        // No catalog removes a market; the stage `events` writes a dead letter if one does.
        onKeyed<ChannelsState, Market>(topic, (state, { value }) => {
          if (value) updateYesIndex(state, value);
        }),
      ),
      onKeyed<ChannelsState, UniversalEvent>(eventTopic, onEvent),
      on<ChannelsState, Spread>(spreadTopic, onSpread),
      on<ChannelsState, Arbitrage>(arbitrageTopic, onArbitrage),
      on<ChannelsState, Anomaly>(anomalyTopic, (state, { value, receivedAt }, emit) =>
        emitAnomaly(state, value, receivedAt, emit),
      ),
      on<ChannelsState, DisputePhase>(disputeTopic, oracleHandlers.onPhase),
      ...Object.values(resolutionTopics).map((topic) =>
        on<ChannelsState, Resolution>(topic, oracleHandlers.onResolution),
      ),
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

function onEvent(state: ChannelsState, record: StageRecord<UniversalEvent | null>, emit: Emit): void {
  oracleHandlers.onEvent(state, record, emit);
  const { marketsOf, survivors } = state.events;
  expireInactiveChannels(
    state.seqs,
    channelTopics.events,
    record.receivedAt,
    // An event is known until it is archived; only a few channels have no event.
    (channel) =>
      !('universalId' in channel) || marketsOf.has(channel.universalId) || survivors.has(channel.universalId),
  );
}

function onSpread(state: ChannelsState, { value, receivedAt }: StageRecord<Spread>, emit: Emit): void {
  const body = bodyOf('event.spread', value, receivedAt, JSON.stringify(toSpreadSnapshot(value)));
  for (const universalId of audienceOf(state.events, value.universalId)) {
    emitFrame(state.seqs, channelTopics.events, formatChannel({ kind: 'event', universalId }), body, emit);
  }
}

function onArbitrage(state: ChannelsState, { value, receivedAt }: StageRecord<Arbitrage>, emit: Emit): void {
  const body = bodyOf('event.arbitrage', value, receivedAt, JSON.stringify(toArbitrageRecord(value)));
  for (const universalId of audienceOf(state.events, value.universalId)) {
    emitFrame(state.seqs, channelTopics.events, formatChannel({ kind: 'arbitrage', universalId }), body, emit);
  }
}

function bodyOf(type: string, cause: Spread | Arbitrage, receivedAt: number, payload: string): FrameBody {
  return { type, provider: cause.causeProvider, marketId: cause.causeMarketId, receivedAt, payload };
}
