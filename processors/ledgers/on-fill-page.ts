/** Adds the fills of venue_a to the ledgers of followed accounts, and states how far they are loaded. */
import type { Emit, Slices, StageRecord } from '#infra/stages/stage';
import type { FillPage } from '#schemas/topics/account-fills';
import type { NodeFill } from '#schemas/topics/node-fills';
import type { Trade } from '#schemas/topics/normalised';
import { accountName } from '#schemas/venues/accounts';
import { readFill } from '#schemas/venues/venue-a/fills';
import { addFills, baseTokenIn } from './add-fills.ts';
import { foldAccount } from './change-account.ts';
import { emitFillLoad } from './emit-ledger.ts';
import { addFill, addPage, isLoaded, isRequestDue } from './fill-load.ts';
import type { LedgersState } from './state.ts';

const VENUE = 'venue_a';

export function* onFillPage(
  state: LedgersState,
  { value: page, receivedAt }: StageRecord<FillPage>,
  emit: Emit,
): Slices {
  const account = accountName(VENUE, page.user);
  const load = state.fillLoads.get(account);
  const fills = load && addPage(load, page);
  if (!fills) return;
  yield* addFills(state, account, fills, receivedAt, emit);
  foldAccount(state, account, receivedAt);
  emitFillLoad({ account, own: state.accounts.get(account)!, receivedAt }, load, emit);
}

/** A node also names the builder of a fill. */
export function onNodeFill(state: LedgersState, record: StageRecord<NodeFill>, emit: Emit): Slices | undefined {
  const account = accountName(VENUE, record.key);
  const load = state.fillLoads.get(account);
  if (!load) return undefined;
  const fill = readFill(JSON.parse(record.value.fill), baseTokenIn(state));
  // It is folded, and the lists contained it.
  if (fill.time < state.accounts.get(account)!.ledger.foldedBefore && isLoaded(load, fill.time)) return undefined;
  return addFills(state, account, addFill(load, { source: 'node', fill }), record.receivedAt, emit);
}

/** Notes that a trade names a followed account, so that its fills are requested soon. */
export function onTradeOfVenueA(state: LedgersState, record: StageRecord<Trade>, emit: Emit): void {
  // A trade is not decoded while nobody is followed.
  if (state.fillLoads.size === 0) return;
  const { receivedAt, value } = record;
  for (const address of new Set([value.maker, value.taker])) {
    if (address === null) continue;
    const account = accountName(VENUE, address);
    const load = state.fillLoads.get(account);
    if (!load) continue;
    const wasDue = isRequestDue(load);
    load.tradedAt = receivedAt;
    // The first trade since the newest response is enough.
    if (!wasDue) emitFillLoad({ account, own: state.accounts.get(account)!, receivedAt }, load, emit);
  }
}
