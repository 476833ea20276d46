/**
 * Adds splits, merges and conversions of followed accounts of venue_b to their ledgers, and removes reverted ones. One whose
 * markets the catalog does not list yet waits for them.
 */
import type { Emit, Slices, StageRecord } from '#infra/stages/stage';
import { parseDecimal } from '#schemas/domain/decimal';
import type { Conversion, SplitOrMerge } from '#schemas/domain/ledger/events';
import type { LedgerChange } from '#schemas/domain/ledger/ledger';
import type { Market, PositionMove } from '#schemas/topics/normalised';
import { accountName } from '#schemas/venues/accounts';
import { dropOldest } from '../shared/drop-oldest.ts';
import { isNewArrival } from '../shared/new-arrivals.ts';
import { changeAccount } from './change-account.ts';
import { onMarket, settlementChanges } from './settlements.ts';
import type { LedgersState } from './state.ts';

/** Most moves that wait for a market. Beyond it the oldest ones are left out, with a dead letter. */
const WAITING_MAX = 10_000;
/** Index of NO among the instruments of a market. */
const NO = 1;

/** A repeated move is a confirmation, which changes no ledger: pending moves count. */
export function onMove(state: LedgersState, record: StageRecord<PositionMove>, emit: Emit): Slices | undefined {
  const { value: move, receivedAt } = record;
  if (isNewArrival(state.arrivals, record) === (move.status === 'reverted')) return undefined;
  return changeByMove(state, move, receivedAt, emit);
}

/** Adds the move to the ledger of its account, or removes it if it is reverted. Nothing if the account is not followed. */
export function changeByMove(
  state: LedgersState,
  move: PositionMove,
  receivedAt: number,
  emit: Emit,
): Slices | undefined {
  const account = accountName('venue_b', move.account);
  if (!state.accounts.has(account)) return undefined;
  const event = eventOf(state, move, receivedAt);
  if (move.status === 'reverted') {
    state.waitingMoves.delete(move.id);
    return event ? changeAccount(state, account, [{ remove: event }], receivedAt, emit) : undefined;
  }
  if (!event) {
    state.waitingMoves.delete(move.id);
    state.waitingMoves.set(move.id, move);
    dropOldest(state.waitingMoves, WAITING_MAX, {
      drop: (id) => {
        state.waitingMoves.delete(id);
        emit.deadLetter('unknown_market', `${id}: too many moves wait for their markets`);
      },
    });
    return undefined;
  }
  const marketIds = [...move.marketIds, ...move.received.flatMap(({ marketId }) => marketId ?? [])];
  const changes: LedgerChange[] = [
    { put: event },
    ...marketIds.flatMap((marketId) => settlementChanges(state, marketId, receivedAt)),
  ];
  return changeAccount(state, account, changes, receivedAt, emit);
}

/** Settles a market that is new in the catalog, and adds the moves that waited for it. */
export function onMarketOfVenueB(
  state: LedgersState,
  record: StageRecord<Market | null>,
  emit: Emit,
): Slices | undefined {
  const settled = onMarket(state, record, emit);
  const marketId = record.value?.marketId;
  const waiting = [...state.waitingMoves.values()].filter((move) => marketId && move.marketIds.includes(marketId));
  return waiting.length > 0 ? addWaiting(state, settled, waiting, record.receivedAt, emit) : settled;
}

function* addWaiting(
  state: LedgersState,
  settled: Slices | undefined,
  waiting: readonly PositionMove[],
  receivedAt: number,
  emit: Emit,
): Slices {
  if (settled) yield* settled;
  for (const move of waiting) {
    state.waitingMoves.delete(move.id);
    const changes = changeByMove(state, move, receivedAt, emit);
    if (changes) yield* changes;
  }
}

/** Returns the event of a ledger; null while the catalog does not list one of the markets. */
function eventOf(state: LedgersState, move: PositionMove, receivedAt: number): SplitOrMerge | Conversion | null {
  const { id, kind, marketIds, received, blockNumber, logIndex, ts } = move;
  const markets = marketIds.map((marketId) => state.instruments.get(marketId));
  if (!markets.every((instruments) => instruments !== undefined)) return null;
  const base = { id, at: blockNumber, index: logIndex, ts, receivedAt, qty: parseDecimal(move.qty) };
  if (kind !== 'convert') return { ...base, kind, instruments: markets[0]! };
  return {
    ...base,
    kind,
    removed: markets.map((instruments) => instruments[NO]!),
    received: received.map(({ instrument }) => instrument),
  };
}
