/** Adds the fills of venue_a to the ledgers of followed accounts, and states how far they are loaded. */
import type { Emit, Slices, StageRecord } from '#infra/stages/stage';
import { findEvent, type Ledger } from '#schemas/domain/ledger/ledger';
import type { FillPage, SubscribedFills } from '#schemas/topics/account-fills';
import type { NodeFill } from '#schemas/topics/node-fills';
import type { Trade } from '#schemas/topics/normalised';
import { accountName } from '#schemas/venues/accounts';
import { readFill } from '#schemas/venues/venue-a/fills';
import { addFills, baseTokenIn } from './add-fills.ts';
import { foldAccount } from './change-account.ts';
import { emitFillLoad } from './emit-ledger.ts';
import { addFill, addPage, addTrade, type FillLoad, isLoaded, missingFrom } from './fill-load.ts';
import type { FillCopy } from './merge-copies.ts';
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
  const skippedBefore = load?.skippedAt;
  const fills = load && addPage(load, page);
  if (!fills) return;
  if (load.skippedAt !== skippedBefore)
    emit.deadLetter('too_many_fills', `${account} has more fills at ${load.skippedAt} than the venue returns`);
  yield* addFills(state, account, fills, receivedAt, emit);
  foldAccount(state, account, receivedAt);
  stateLoad(state, account, load, receivedAt, emit);
}

/** A node also names the builder of a fill. */
export function onNodeFill(state: LedgersState, record: StageRecord<NodeFill>, emit: Emit): Slices | undefined {
  const account = accountName(VENUE, record.key);
  if (!state.fillLoads.has(account)) return undefined;
  const fill = readFill(JSON.parse(record.value.fill), baseTokenIn(state));
  return addOthers(state, account, [{ source: 'node', fill }], record.receivedAt, emit);
}

/** After each connection the newest fills come again. */
export function onSubscribedFills(
  state: LedgersState,
  { value, receivedAt }: StageRecord<SubscribedFills>,
  emit: Emit,
): Slices | undefined {
  const account = accountName(VENUE, value.user);
  if (!state.fillLoads.has(account)) return undefined;
  const copies = value.fills.map((fill): FillCopy => ({ source: 'subscription', fill }));
  return addOthers(state, account, copies, receivedAt, emit);
}

/** Adds copies of a source that says nothing about fills that it lacks. */
function* addOthers(
  state: LedgersState,
  account: string,
  copies: readonly FillCopy[],
  receivedAt: number,
  emit: Emit,
): Slices {
  const load = state.fillLoads.get(account)!;
  const { foldedBefore } = state.accounts.get(account)!.ledger;
  const before = missingFrom(load);
  // What is folded was in the lists.
  const added = copies.filter(({ fill: { time } }) => time >= foldedBefore || !isLoaded(load, time));
  const released = added.flatMap((copy) => addFill(load, copy));
  if (released.length > 0) yield* addFills(state, account, released, receivedAt, emit);
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
