/** Emits a detected anomaly to the channels of its event, of its kind, and of all anomalies (specification). */
import type { Emit } from '#infra/stages/stage';
import { toAnomalyRecord } from '#schemas/http/anomaly';
import type { AnomalyChannelKind, ChannelName } from '#schemas/stream/channel';
import { formatChannel } from '#schemas/stream/channel-names';
import type { Anomaly, AnomalyKind } from '#schemas/topics/anomalies';
import { channelTopics } from '#schemas/topics/channels';
import { emitFrame, type FrameBody } from '../shared/emit-frame.ts';
import { audienceOf } from '../shared/merged-events.ts';
import type { ChannelsState } from './state.ts';

/** Names of the kinds in channel names (specification, WebSocket stream). */
const CHANNEL_KIND: Readonly<Record<AnomalyKind, AnomalyChannelKind>> = {
  trade_volume_spike: 'trade-volume',
  spread_widening: 'spread-widening',
  wallet_burst: 'wallet-burst',
  settlement_delay: 'settlement-delay',
};

export function emitAnomaly(state: ChannelsState, anomaly: Anomaly, receivedAt: number, emit: Emit): void {
  const { provider, marketId, kind } = anomaly;
  const audience = audienceOf(state.events, anomaly.universalId);
  // The survivor's id, in case the event was merged after the detection.
  const payload = JSON.stringify(toAnomalyRecord(anomaly, audience[0]));
  const body: FrameBody = { type: 'anomaly.detected', provider, marketId, receivedAt, payload };
  const channels: ChannelName[] = [
    ...audience.map((universalId) => ({ kind: 'anomaly-event' as const, universalId })),
    { kind: 'anomaly-kind', anomalyKind: CHANNEL_KIND[kind] },
    { kind: 'anomaly-all' },
  ];
  for (const channel of channels) emitFrame(state.seqs, channelTopics.events, formatChannel(channel), body, emit);
}
