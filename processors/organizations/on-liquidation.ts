/** Delivers the forced liquidations of bound wallets: fills in which the venue liquidated the position of their own account. */
import type { Emit, StageRecord } from '#infra/stages/stage';
import { subscribedWebhooksOf, walletsBoundTo } from '#schemas/domain/control/lookups';
import type { FillPage, VenueAFill } from '#schemas/topics/account-fills';
import { fillId } from '#schemas/venues/venue-a/fills';
import { dropOldest } from '../shared/drop-oldest.ts';
import type { Party } from './bound-wallets.ts';
import { deliver } from './deliver.ts';
import { positionLiquidated } from './event-data.ts';
import type { OrganizationsState } from './state.ts';

const TYPE = 'broker.position.liquidated';
/** Newest liquidations that are remembered: a page repeats the last fills of the one before, a new connection the newest ones. */
const REMEMBERED_MAX = 10_000;

/**
 * Handles fills of a page or of a subscription. A history that is loaded contains liquidations from before the binding, which
 * are not delivered.
 */
export function onFills(
  state: OrganizationsState,
  { value, receivedAt }: StageRecord<Pick<FillPage, 'user' | 'fills'>>,
  emit: Emit,
): void {
  const { user, fills } = value;
  for (const fill of fills) {
    if (fill.liquidatedUser !== user) continue;
    const key = `${user} ${fillId(fill)}`;
    const parties = partiesOf(state, user, fill);
    if (parties.size === 0 || state.liquidations.has(key)) continue;
    state.liquidations.add(key);
    dropOldest(state.liquidations, REMEMBERED_MAX);
    for (const [orgId, wallets] of parties)
      deliver(
        subscribedWebhooksOf(state.control, orgId, TYPE),
        {
          type: TYPE,
          // Each organization has its own event, since it names wallets.
          identity: [orgId, user, fillId(fill)],
          receivedAt,
          subject: fillId(fill),
          filterValues: ['venue_a'],
          data: () => positionLiquidated(fill, wallets),
        },
        emit,
      );
  }
}

/** Returns the wallets that were bound when the fill happened, by organization. */
function partiesOf({ control, boundAt }: OrganizationsState, user: string, fill: VenueAFill): Map<string, Party[]> {
  const parties = new Map<string, Party[]>();
  for (const { id, orgId } of walletsBoundTo(control, fill.provider, user)) {
    const since = boundAt.get(id);
    if (since === undefined || fill.time < since) continue;
    const party = { walletId: id, address: user, role: fill.role };
    const own = parties.get(orgId);
    if (own) own.push(party);
    else parties.set(orgId, [party]);
  }
  return parties;
}
