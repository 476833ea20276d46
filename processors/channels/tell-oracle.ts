/** Frames of the oracle's phases and of settlements (specification, WebSocket stream). */
import type { Emit } from '#infra/stages/stage';
import { toDisputePhaseRecord } from '#schemas/http/dispute-phase';
import { formatChannel } from '#schemas/stream/channel-names';
import { channelTopics } from '#schemas/topics/channels';
import type { UniversalEvent } from '#schemas/topics/derived';
import type { DisputePhase, Resolution } from '#schemas/topics/oracle';
import {
  newsOfPhase,
  newsOfResolution,
  type PhaseNews,
  relinkOracleEvent,
  type SettlementRecordNews,
} from '../shared/oracle-news.ts';
import { type FrameBody, tellFrame } from '../shared/tell-frame.ts';
import type { ChannelsState } from './state.ts';

const DISPUTES_OF_VENUE = formatChannel({ kind: 'dispute-venue' });

export function tellPhase(state: ChannelsState, phase: DisputePhase, receivedAt: number, emit: Emit): void {
  const news = newsOfPhase(state, phase);
  if (news) tellPhaseNews(state, news, receivedAt, emit);
}

/** The first resolution of each provider goes to its event, and what takes it back. */
export function tellResolution(state: ChannelsState, resolution: Resolution, receivedAt: number, emit: Emit): void {
  const news = newsOfResolution(state, resolution);
  if (!news) {
    emit.dead('no_payout', `${resolution.id} does not say what YES is paid`);
    return;
  }
  for (const one of news) tellSettlement(state, one, receivedAt, emit);
}

/** Takes a new or changed event (null says that it is past), and tells it what waited for it. */
export function tellEvent(
  state: ChannelsState,
  universalId: string,
  event: UniversalEvent | null,
  receivedAt: number,
  emit: Emit,
): void {
  const { phases, settlements } = relinkOracleEvent(state, universalId, event);
  for (const news of phases) tellPhaseNews(state, news, receivedAt, emit);
  for (const news of settlements) tellSettlement(state, news, receivedAt, emit);
}

/** A phase goes to the firehose of its venue and to its event; to the event alone where only that became known. */
function tellPhaseNews(
  state: ChannelsState,
  { phase, isNew, audience }: PhaseNews,
  receivedAt: number,
  emit: Emit,
): void {
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
