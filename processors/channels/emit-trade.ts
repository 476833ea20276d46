/**
 * Emits one frame for a trade and one for its reversal (contract, REST, Trades). A confirmation has no frame, and a
 * trade whose market became known later goes to the channel of its event only.
 */
import type { Emit } from '#infra/stages/stage';
import { marketKey, TRADE_CHANNEL_PROVIDERS } from '#schemas/domain/providers';
import { toTradeRecord } from '#schemas/http/trade';
import { formatChannel } from '#schemas/stream/channel-names';
import { channelTopics } from '#schemas/topics/channels';
import type { Trade } from '#schemas/topics/normalised';
import { detectChange } from '../shared/detect-change.ts';
import { emitFrame, type FrameBody } from '../shared/emit-frame.ts';
import { audienceOf } from '../shared/merged-events.ts';
import type { ChannelsState } from './state.ts';

const PROVIDER_CHANNELS = new Map<string, string>(
  TRADE_CHANNEL_PROVIDERS.map((provider) => [provider, formatChannel({ kind: 'trade-provider', provider })]),
);

/** Emits what is new in a trade record. At most `rememberedTradesMax` trades are remembered. */
export function emitTrade(
  state: ChannelsState,
  trade: Trade,
  receivedAt: number,
  emit: Emit,
  rememberedTradesMax: number,
): void {
  const { id, status, provider, marketId } = trade;
  const market = marketId === null ? null : marketKey(provider, marketId);
  const event = market === null ? undefined : state.events.eventOf.get(market);
  const observation = {
    id,
    status,
    market: event === undefined ? null : market,
    isFinal: status === 'confirmed' && market !== null,
  };
  const { isNew, toEvent } = detectChange(state.emittedTrades, observation, rememberedTradesMax);
  if (!isNew && !toEvent) return;
  const body: FrameBody = {
    type: 'trade.observed',
    provider,
    marketId,
    receivedAt,
    payload: JSON.stringify(toTradeRecord(trade)),
  };
  const firehose = PROVIDER_CHANNELS.get(provider);
  if (isNew && firehose !== undefined) emitFrame(state.seqs, channelTopics.events, firehose, body, emit);
  if (!toEvent) return;
  for (const universalId of audienceOf(state.events, event!)) {
    emitFrame(state.seqs, channelTopics.events, formatChannel({ kind: 'trade-event', universalId }), body, emit);
  }
}
