/** Frames of detections: on the channel of the event, on that of the kind, and on that of all (specification). */
import type { Emit } from '#infra/stages/stage';
import { toAnomalyRecord } from '#schemas/http/anomaly';
import { type AnomalyChannelKind, type ChannelName, formatChannel } from '#schemas/stream/channel-names';
import type { Anomaly, AnomalyKind } from '#schemas/topics/anomalies';
import { channelTopics } from '#schemas/topics/channels';
import { audienceOf } from '../shared/merged-events.ts';
import { type FrameBody, emitFrame } from '../shared/emit-frame.ts';
import type { ChannelsState } from './state.ts';

/** Channels have names of their own for the kinds (specification, WebSocket stream). */
const CHANNEL_KIND: Readonly<Record<AnomalyKind, AnomalyChannelKind>> = {
  trade_volume_spike: 'trade-volume',
  spread_widening: 'spread-widening',
  wallet_burst: 'wallet-burst',
  settlement_delay: 'settlement-delay',
};

export function emitAnomaly(state: ChannelsState, anomaly: Anomaly, receivedAt: number, emit: Emit): void {
  const { provider, marketId, kind } = anomaly;
  const audience = audienceOf(state.events, anomaly.universalId);
  // The survivor's, where the event was merged since it was looked at.
  const payload = JSON.stringify(toAnomalyRecord(anomaly, audience[0]));
  const body: FrameBody = { type: 'anomaly.detected', provider, marketId, receivedAt, payload };
  const channels: ChannelName[] = [
    ...audience.map((universalId) => ({ kind: 'anomaly-event' as const, universalId })),
    { kind: 'anomaly-kind', anomalyKind: CHANNEL_KIND[kind] },
    { kind: 'anomaly-all' },
  ];
  for (const channel of channels) emitFrame(state.seqs, channelTopics.events, formatChannel(channel), body, emit);
}
