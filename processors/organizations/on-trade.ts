/** Emits the fills of bound wallets to their organizations: one for the trade and one for its reversal. */
import type { Emit, StageRecord } from '#infra/stages/stage';
import { subscribedWebhooksOf } from '#schemas/domain/control/lookups';
import type { Venue } from '#schemas/domain/providers';
import { toTradeRecord } from '#schemas/http/trade';
import { formatChannel } from '#schemas/stream/channel-names';
import { channelTopics } from '#schemas/topics/channels';
import type { Trade } from '#schemas/topics/normalised';
import { emitFrame, type FrameBody } from '../shared/emit-frame.ts';
import { isNewArrival } from '../shared/new-arrivals.ts';
import { boundPartiesOf, type Party } from './bound-wallets.ts';
import { deliver } from './deliver.ts';
import { tradeExecuted } from './event-data.ts';
import type { OrganizationsState } from './state.ts';

const TYPE = 'broker.trade.executed';

export function onTrade(state: OrganizationsState, record: StageRecord<Trade>, venue: Venue, emit: Emit): void {
  const { topic, receivedAt, value: trade } = record;
  const isReversal = trade.status === 'reverted';
  // A repeated trade is a confirmation or a late market id (ignored) or a revert (handled).
  if (isNewArrival(state.arrivals, record) === isReversal) return;
  const parties = boundPartiesOf(state, topic, trade);
  if (!parties) return;
  const body: FrameBody = {
    type: 'user.fill',
    provider: trade.provider,
    marketId: trade.marketId,
    receivedAt,
    payload: JSON.stringify(toTradeRecord(trade)),
  };
  for (const [orgId, wallets] of parties) {
    emitFrame(state.seqs, channelTopics.organizations, formatChannel({ kind: 'user-trade', orgId }), body, emit);
    deliverFill(state, { orgId, wallets, venue, trade, receivedAt }, emit);
  }
}

interface Fill {
  readonly orgId: string;
  readonly wallets: readonly Party[];
  readonly venue: Venue;
  readonly trade: Trade;
  readonly receivedAt: number;
}

function deliverFill(state: OrganizationsState, { orgId, wallets, venue, trade, receivedAt }: Fill, emit: Emit): void {
  const change = trade.status === 'reverted' ? 'reversal' : 'trade';
  deliver(
    subscribedWebhooksOf(state.control, orgId, TYPE),
    {
      type: TYPE,
      // Each organization has its own event, since it names wallets; so has each inclusion in the chain, by its
      // arrival.
      identity: [orgId, trade.id, trade.arrival, change],
      receivedAt,
      subject: trade.id,
      filterValues: [venue],
      data: () => tradeExecuted(trade, venue, wallets),
    },
    emit,
  );
}
