/** Fills of bound wallets: one telling of the trade, one of its reversal, to each organization that it concerns. */
import type { Emit, StageEvent } from '#infra/stages/stage';
import { webhooksOfSubscribedTo } from '#schemas/domain/control/lookups';
import type { Venue } from '#schemas/domain/providers';
import { toTradeRecord } from '#schemas/http/trade';
import { formatChannel } from '#schemas/stream/channel-names';
import { channelTopics } from '#schemas/topics/channels';
import type { Trade } from '#schemas/topics/normalised';
import { type FrameBody, emitFrame } from '../shared/emit-frame.ts';
import { isNewArrival } from './arrivals.ts';
import { type Party, boundPartiesOf } from './bound-wallets.ts';
import { deliver } from './deliver.ts';
import { tradeExecuted } from './event-data.ts';
import type { OrganizationsState } from './state.ts';

const TYPE = 'broker.trade.executed';

export function onTrade(state: OrganizationsState, event: StageEvent<Trade>, venue: Venue, emit: Emit): void {
  const { topic, receivedAt, value: trade } = event;
  const isReversal = trade.status === 'reverted';
  // A trade told again is its confirmation or its market, which is no news, or its reversal, which is.
  if (isNewArrival(state.arrivals, event) === isReversal) return;
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
    webhooksOfSubscribedTo(state.control, orgId, TYPE),
    {
      type: TYPE,
      // Of each organization its own, since it names wallets; of each inclusion in the chain too, by its arrival.
      identity: [orgId, trade.id, trade.arrival, change],
      receivedAt,
      subject: trade.id,
      filterValues: [venue],
      data: () => tradeExecuted(trade, venue, wallets),
    },
    emit,
  );
}
