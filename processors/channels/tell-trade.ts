/**
 * One frame tells a trade, one its reversal (contract, REST, Trades). That a trade was confirmed is no frame of its own,
 * and a trade whose market became known goes to the channel of its event alone.
 */
import type { Emit } from '#infra/stages/stage';
import { toTradeRecord } from '#schemas/http/trade';
import { formatChannel, TRADE_CHANNEL_PROVIDERS, type TradeChannelProvider } from '#schemas/stream/channel-names';
import { channelTopics } from '#schemas/topics/channels';
import type { Trade } from '#schemas/topics/normalised';
import { audienceOf } from '../shared/merged-events.ts';
import { type FrameBody, tellFrame } from '../shared/tell-frame.ts';
import { type ChannelsState, marketKey, type ToldTrade } from './state.ts';

const PROVIDER_CHANNELS = new Map<string, string>(
  TRADE_CHANNEL_PROVIDERS.map((provider: TradeChannelProvider) => [
    provider,
    formatChannel({ kind: 'trade-provider', provider }),
  ]),
);

/** Tells what is new in a telling of a trade. At most `toldMax` trades are remembered. */
export function tellTrade(state: ChannelsState, trade: Trade, receivedAt: number, emit: Emit, toldMax: number): void {
  const known = state.told.get(trade.id);
  const reverted = trade.status === 'reverted';
  const event = trade.marketId === null ? undefined : state.eventOf.get(marketKey(trade.provider, trade.marketId));
  const changed = known === undefined || known.reverted !== reverted;
  // A reversal is told where the trade was; a trade never told to an event has nothing to take back there.
  const toEvent = event !== undefined && (changed ? !(reverted && known?.event === false) : !known.event && !reverted);
  remember(state, trade, { reverted, event: toEvent || known?.event === true }, toldMax);
  if (!changed && !toEvent) return;
  const body: FrameBody = {
    type: 'trade.observed',
    provider: trade.provider,
    marketId: trade.marketId,
    receivedAt,
    payload: JSON.stringify(toTradeRecord(trade)),
  };
  const firehose = PROVIDER_CHANNELS.get(trade.provider);
  if (changed && firehose !== undefined) tellFrame(state.seqs, channelTopics.events, firehose, body, emit);
  if (!toEvent) return;
  for (const universalId of audienceOf(state, event)) {
    tellFrame(state.seqs, channelTopics.events, formatChannel({ kind: 'trade-event', universalId }), body, emit);
  }
}

/** Keeps what a later telling is compared with, for as long as there can be one. */
function remember(state: ChannelsState, trade: Trade, told: ToldTrade, toldMax: number): void {
  const isFinal = trade.status === 'confirmed' && trade.marketId !== null;
  state.told.delete(trade.id);
  if (isFinal) return;
  state.told.set(trade.id, told);
  if (state.told.size <= toldMax) return;
  const [oldest] = state.told.keys();
  state.told.delete(oldest!);
}
