/** Market-wide events, for whoever subscribes to them: nothing in them is any organization's. */
import type { Emit, StageEvent } from '#infra/stages/stage';
import { webhooksSubscribedTo } from '#schemas/domain/control/lookups';
import type { Arbitrage, Spread } from '#schemas/topics/derived';
import { audienceOf } from '../shared/merged-events.ts';
import { deliver } from './deliver.ts';
import { arbitrageDetected, spreadChanged } from './event-data.ts';
import type { ProducedType } from './interests.ts';
import type { OrganizationsState } from './state.ts';

export function onSpread(state: OrganizationsState, event: StageEvent<Spread>, emit: Emit): void {
  tell(state, 'event.spread.changed', event, () => spreadChanged(event.value), emit);
}

export function onArbitrage(state: OrganizationsState, event: StageEvent<Arbitrage>, emit: Emit): void {
  tell(state, 'event.arbitrage.detected', event, () => arbitrageDetected(event.value), emit);
}

function tell(
  state: OrganizationsState,
  type: ProducedType,
  { receivedAt, value: { universalId } }: StageEvent<Spread | Arbitrage>,
  data: () => unknown,
  emit: Emit,
): void {
  // Counted whether anybody listens or not: the id of an event does not depend on who does.
  const events = state.moment.at === receivedAt ? state.moment.events + 1 : 1;
  state.moment = { at: receivedAt, events };
  const webhooks = webhooksSubscribedTo(state.control, type);
  if (webhooks.length === 0) return;
  deliver(
    webhooks,
    {
      type,
      identity: [universalId, receivedAt, events],
      receivedAt,
      subject: universalId,
      // Who asked for an event that was merged into another hears of the survivor, as on the channels.
      filterValues: audienceOf(state.merged, universalId),
      data,
    },
    emit,
  );
}
