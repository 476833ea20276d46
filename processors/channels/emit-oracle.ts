/** Emits frames for oracle phases and settlements (specification, WebSocket stream). */
import type { Emit } from '#infra/stages/stage';
import { toDisputePhaseRecord } from '#schemas/http/dispute-phase';
import { formatChannel } from '#schemas/stream/channel-names';
import { channelTopics } from '#schemas/topics/channels';
import { emitFrame, type FrameBody } from '../shared/emit-frame.ts';
import { createOracleHandlers } from '../shared/oracle-handlers.ts';
import type { PhaseUpdate, SettlementUpdate } from '../shared/oracle-updates.ts';
import type { ChannelsState } from './state.ts';

const DISPUTES_OF_VENUE = formatChannel({ kind: 'dispute-venue' });

/** Handles phases, resolutions and events. */
export const oracleHandlers = createOracleHandlers<ChannelsState>({ emitPhase, emitSettlement });

/** Emits a phase to the firehose of its venue and to its event; only to the event if only the event became known. */
function emitPhase(
  state: ChannelsState,
  { phase, isNew, audience }: PhaseUpdate,
  receivedAt: number,
  emit: Emit,
): void {
  const { provider, marketId } = phase;
  const payload = JSON.stringify(toDisputePhaseRecord(phase));
  const body: FrameBody = { type: 'settlement.dispute', provider, marketId, receivedAt, payload };
  if (isNew) emitFrame(state.seqs, channelTopics.events, DISPUTES_OF_VENUE, body, emit);
  for (const universalId of audience) {
    emitFrame(state.seqs, channelTopics.events, formatChannel({ kind: 'dispute-event', universalId }), body, emit);
  }
}

function emitSettlement(
  state: ChannelsState,
  { record, audience }: SettlementUpdate,
  receivedAt: number,
  emit: Emit,
): void {
  const { provider, marketId } = record;
  const payload = JSON.stringify(record);
  const body: FrameBody = { type: 'settlement.landed', provider, marketId, receivedAt, payload };
  for (const universalId of audience) {
    emitFrame(state.seqs, channelTopics.events, formatChannel({ kind: 'settlement', universalId }), body, emit);
  }
}
