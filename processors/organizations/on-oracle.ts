/** Emits oracle phases and settlements to their subscribers, by the same rules as on the channels. */
import type { Emit } from '#infra/stages/stage';
import { createOracleHandlers } from '../shared/oracle-handlers.ts';
import type { PhaseUpdate, SettlementUpdate } from '../shared/oracle-updates.ts';
import { disputeUpdated, settlementLanded } from './event-data.ts';
import { emitMarketEvent } from './on-market-event.ts';
import type { OrganizationsState } from './state.ts';

/** Handles phases, resolutions and events. */
export const oracleHandlers = createOracleHandlers<OrganizationsState>({ emitPhase, emitSettlement });

function emitPhase(
  state: OrganizationsState,
  { phase, audience, isNew }: PhaseUpdate,
  receivedAt: number,
  emit: Emit,
): void {
  const universalId = audience[0] ?? null;
  const event = {
    type: 'event.dispute.updated' as const,
    receivedAt,
    subject: universalId ?? phase.questionId,
    audience,
    audienceOnly: !isNew,
    data: () => disputeUpdated(phase, universalId),
  };
  emitMarketEvent(state, event, emit);
}

function emitSettlement(
  state: OrganizationsState,
  { record, audience }: SettlementUpdate,
  receivedAt: number,
  emit: Emit,
): void {
  const subject = audience[0]!;
  const data = () => settlementLanded(record, subject);
  emitMarketEvent(state, { type: 'event.settlement.landed', receivedAt, subject, audience, data }, emit);
}
