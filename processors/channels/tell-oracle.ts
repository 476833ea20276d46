/** Frames of the oracle's phases and of settlements (specification, WebSocket stream). */
import type { Emit } from '#infra/stages/stage';
import { toDisputePhaseRecord } from '#schemas/http/dispute-phase';
import { formatChannel } from '#schemas/stream/channel-names';
import { channelTopics } from '#schemas/topics/channels';
import { oracleHandlers } from '../shared/oracle-handlers.ts';
import type { PhaseNews, SettlementRecordNews } from '../shared/oracle-news.ts';
import { type FrameBody, tellFrame } from '../shared/tell-frame.ts';
import type { ChannelsState } from './state.ts';

const DISPUTES_OF_VENUE = formatChannel({ kind: 'dispute-venue' });

/** Takes phases, resolutions and events. */
export const oracle = oracleHandlers<ChannelsState>({ tellPhase, tellSettlement });

/** A phase goes to the firehose of its venue and to its event; to the event alone where only that became known. */
function tellPhase(state: ChannelsState, { phase, isNew, audience }: PhaseNews, receivedAt: number, emit: Emit): void {
  const { provider, marketId } = phase;
  const payload = JSON.stringify(toDisputePhaseRecord(phase));
  const body: FrameBody = { type: 'settlement.dispute', provider, marketId, receivedAt, payload };
  if (isNew) tellFrame(state.seqs, channelTopics.events, DISPUTES_OF_VENUE, body, emit);
  for (const universalId of audience) {
    tellFrame(state.seqs, channelTopics.events, formatChannel({ kind: 'dispute-event', universalId }), body, emit);
  }
}

function tellSettlement(
  state: ChannelsState,
  { record, audience }: SettlementRecordNews,
  receivedAt: number,
  emit: Emit,
): void {
  const { provider, marketId } = record;
  const payload = JSON.stringify(record);
  const body: FrameBody = { type: 'settlement.landed', provider, marketId, receivedAt, payload };
  for (const universalId of audience) {
    tellFrame(state.seqs, channelTopics.events, formatChannel({ kind: 'settlement', universalId }), body, emit);
  }
}
