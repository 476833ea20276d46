/** The oracle's phases and settlements, for whoever subscribes to them: told as on the channels. */
import type { Emit, StageEvent } from '#infra/stages/stage';
import type { UniversalEvent } from '#schemas/topics/derived';
import type { DisputePhase, Resolution } from '#schemas/topics/oracle';
import {
  newsOfPhase,
  newsOfResolution,
  type PhaseNews,
  relinkOracleEvent,
  type SettlementRecordNews,
} from '../shared/oracle-news.ts';
import { disputeUpdated, settlementLanded } from './event-data.ts';
import { tellMarketEvent } from './on-market-event.ts';
import type { OrganizationsState } from './state.ts';

export function onPhase(state: OrganizationsState, phase: DisputePhase, receivedAt: number, emit: Emit): void {
  const news = newsOfPhase(state, phase);
  if (news) tellPhase(state, news, receivedAt, emit);
}

export function onResolution(state: OrganizationsState, resolution: Resolution, receivedAt: number, emit: Emit): void {
  const news = newsOfResolution(state, resolution);
  if (!news) {
    emit.dead('no_payout', `${resolution.id} does not say what YES is paid`);
    return;
  }
  for (const one of news) tellSettlement(state, one, receivedAt, emit);
}

/** Takes a new or changed event (null says that it is past), and tells what waited for it. */
export function onEvent(
  state: OrganizationsState,
  { key, value, receivedAt }: StageEvent<UniversalEvent | null>,
  emit: Emit,
): void {
  const { phases, settlements } = relinkOracleEvent(state, key, value);
  for (const news of phases) tellPhase(state, news, receivedAt, emit);
  for (const news of settlements) tellSettlement(state, news, receivedAt, emit);
}

function tellPhase(
  state: OrganizationsState,
  { phase, audience, isNew }: PhaseNews,
  receivedAt: number,
  emit: Emit,
): void {
  const universalId = audience[0] ?? null;
  const event = {
    type: 'event.dispute.updated' as const,
    receivedAt,
    subject: universalId ?? phase.questionId,
    audience,
    toAudienceAlone: !isNew,
    data: () => disputeUpdated(phase, universalId),
  };
  tellMarketEvent(state, event, emit);
}

function tellSettlement(
  state: OrganizationsState,
  { record, audience }: SettlementRecordNews,
  receivedAt: number,
  emit: Emit,
): void {
  const subject = audience[0]!;
  const data = () => settlementLanded(record, subject);
  tellMarketEvent(state, { type: 'event.settlement.landed', receivedAt, subject, audience, data }, emit);
}
