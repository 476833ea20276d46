/** Rows of the table `book_events` for tests. */
import type { LedgerEventRow } from '#schemas/topics/ledgers';
import { NOON_MS } from './records.fixture.ts';

/** The account of the rows. */
export const ADDRESS = `0x${'1a'.repeat(20)}`;
/** Start of its ledger. */
export const BEGAN = NOON_MS - 3_600_000;

/** What a row states that changed the open lots of its book: by how much their quantity and their cost. */
export function openChange(
  qty: string,
  cost: string,
): Pick<LedgerEventRow, 'qty' | 'longQty' | 'knownQty' | 'knownCost'> {
  return { qty, longQty: qty, knownQty: qty, knownCost: cost };
}

/** The row of a purchase of 3 of token 111 at 0.4 as a taker, one second after another. */
export function aLedgerRow(nth: number, fields: Partial<LedgerEventRow> = {}): LedgerEventRow {
  return {
    account: `venue_b:${ADDRESS}`,
    ledger: BEGAN,
    id: `venue_b:0xt${nth}:${nth}`,
    part: 0,
    state: 'applied',
    kind: 'fill',
    at: nth,
    index: nth,
    nth: 0,
    ts: NOON_MS + nth * 1_000,
    receivedAt: NOON_MS + nth * 1_000 + 500,
    instrument: '111',
    builder: null,
    qty: '3',
    price: '0.4',
    opened: '3',
    enlarged: null,
    longQty: '3',
    knownQty: '3',
    knownCost: '1.2',
    realized: '0',
    notional: '1.2',
    fee: '0.01',
    role: 'taker',
    tradedInstrument: '111',
    partial: false,
    closes: [],
    ...fields,
  };
}
