/** Adds the fills of venue_a to the ledgers of followed accounts, and states how far they are loaded. */
import type { Emit, Slices, StageRecord } from '#infra/stages/stage';
import { findEvent, type Ledger, SLICE_EVENTS } from '#schemas/domain/ledger/ledger';
import { accountFillTopic, type FillPage, type VenueAFill } from '#schemas/topics/account-fills';
import type { NodeFill } from '#schemas/topics/node-fills';
import type { Trade } from '#schemas/topics/normalised';
import { accountName } from '#schemas/venues/accounts';
import { marketOf } from '#schemas/venues/venue-a/coin-market';
import { fillId, readFill } from '#schemas/venues/venue-a/fills';
import { isOutcomeCoin } from '#schemas/venues/venue-a/outcome-coin';
import { changeAccount, foldAccount } from './change-account.ts';
import { emitFillLoad } from './emit-ledger.ts';
import { addFill, addPage, addTrade, type FillLoad, missingFrom } from './fill-load.ts';
import { eventOfFill } from './fill-of-account.ts';
import { settlementChanges } from './settlements.ts';
import type { LedgersState } from './state.ts';

const VENUE = 'venue_a';
/** How exactly `tradedAt` is published. */
const TRADED_INTERVAL_MS = 10_000;

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
  stateLoad(state, account, load, receivedAt, emit);
}

/** A node names the builder of a fill. */
export function onNodeFill(state: LedgersState, record: StageRecord<NodeFill>, emit: Emit): Slices | undefined {
  const account = accountName(VENUE, record.key);
  const load = state.fillLoads.get(account);
  if (!load) return undefined;
  const fill = readFill(JSON.parse(record.value.fill), () => null);
  return addOthers(state, account, [fill], record.receivedAt, emit);
}

/** Adds fills of a source that says nothing about fills that it lacks. */
function* addOthers(
  state: LedgersState,
  account: string,
  fills: readonly VenueAFill[],
  receivedAt: number,
  emit: Emit,
): Slices {
  const load = state.fillLoads.get(account)!;
  const before = missingFrom(load);
  const released = fills.flatMap((fill) => addFill(load, fill));
  yield* addFills(state, account, released, receivedAt, emit);
  if (missingFrom(load) !== before) stateLoad(state, account, load, receivedAt, emit);
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
    const before = missingFrom(load);
    const tradedBefore = load.tradedAt ?? 0;
    load.tradedAt = receivedAt;
    if (!isAmongFills(state.accounts.get(account)!.ledger, value)) addTrade(load, value);
    // Most trades change nothing for whoever requests fills.
    const isLater = Math.floor(receivedAt / TRADED_INTERVAL_MS) > Math.floor(tradedBefore / TRADED_INTERVAL_MS);
    if (isLater || missingFrom(load) !== before) stateLoad(state, account, load, receivedAt, emit);
  }
}

function isAmongFills(ledger: Ledger, { id, ts, instrument }: Trade): boolean {
  return findEvent(ledger, { kind: 'fill', id, at: ts, index: 0, instrument }) !== null;
}

function stateLoad(state: LedgersState, account: string, load: FillLoad, receivedAt: number, emit: Emit): void {
  emitFillLoad({ account, own: state.accounts.get(account)!, receivedAt }, load, emit);
}

function* addFills(
  state: LedgersState,
  account: string,
  fills: readonly VenueAFill[],
  receivedAt: number,
  emit: Emit,
): Slices {
  const own = state.accounts.get(account)!;
  const changes = [];
  const markets = new Set<string>();
  for (const [at, fill] of fills.entries()) {
    if (at % SLICE_EVENTS === 0) yield;
    const event = eventOfFill(fill, receivedAt);
    const known = findEvent(own.ledger, event);
    // A source that does not name the builder states nothing about it.
    const addsBuilder = known?.kind === 'fill' && known.builder === null && fill.builder !== null;
    if (known && !addsBuilder) continue;
    changes.push({ put: addsBuilder ? { ...known, builder: fill.builder } : event });
    if (isOutcomeCoin(fill.coin)) markets.add(marketOf(fill.coin));
    emit(accountFillTopic, account, {
      ...fill,
      account,
      ledger: own.startedAt,
      id: fillId(fill),
      receivedAt: (known ?? event).receivedAt,
    });
  }
  for (const marketId of markets) changes.push(...settlementChanges(state, marketId, receivedAt));
  if (changes.length > 0) yield* changeAccount(state, account, changes, receivedAt, emit);
}
