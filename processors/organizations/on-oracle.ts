/** The oracle's phases and settlements, for whoever subscribes to them: told as on the channels. */
import type { Emit } from '#infra/stages/stage';
import { oracleHandlers } from '../shared/oracle-handlers.ts';
import type { PhaseNews, SettlementRecordNews } from '../shared/oracle-news.ts';
import { disputeUpdated, settlementLanded } from './event-data.ts';
import { tellMarketEvent } from './on-market-event.ts';
import type { OrganizationsState } from './state.ts';

/** Takes phases, resolutions and events. */
export const oracle = oracleHandlers<OrganizationsState>({ tellPhase, tellSettlement });

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
