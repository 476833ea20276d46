import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Decimal, divideHalfEven, formatDecimal, parseDecimal } from '../decimal.ts';
import type { Fill } from './events.ts';
import { fill, readable, readableNaive } from './ledger.fixture.ts';
import { changeLedger, createLedger } from './ledger.ts';
import { naiveLedger } from './naive-ledger.fixture.ts';

const DATA = join(process.env.PARALLAX_SHARED ?? '../shared', 'data');
const VENUE_A = join(DATA, 'venue_a/fills.2-accounts.2024-09_2025-05.csv');

type Row = Readonly<Record<string, string>>;

function rowsOf(file: string): Row[] {
  const [header, ...lines] = readFileSync(file, 'utf8').trim().split('\n').map(cellsOf);
  return lines.map((cells) => Object.fromEntries(header!.map((name, at) => [name, cells[at] ?? ''])));
}

/** Splits a line of CSV; a cell with commas is in quotes. */
function cellsOf(line: string): string[] {
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

function groupBy(rows: readonly Row[], keyOf: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row]);
  return groups;
}

/** Returns a price with 18 decimals; some of the recorded floats have more. */
function roundedPrice(text: string): string {
  const [integer = '0', fraction = ''] = text.split('.');
  if (fraction.length <= 18) return text;
  return formatDecimal(divideHalfEven(BigInt(integer + fraction), 10n ** BigInt(fraction.length - 18)) as Decimal);
}

const isSale = (side: string) => side.toUpperCase() === 'SELL';
const signedQty = (side: string, qty: string) => (isSale(side) ? `-${qty}` : qty);

/** Compares a ledger that gets all events at once, and one that gets them backwards, with the naive one. */
function expectSameAsNaive(events: readonly Fill[]): void {
  const expected = readableNaive(naiveLedger(events));
  const forward = createLedger();
  changeLedger(
    forward,
    events.map((put) => ({ put })),
  );
  expect(readable(forward)).toEqual(expected);
  const backward = createLedger();
  for (let end = events.length; end > 0; end -= 100)
    changeLedger(
      backward,
      events.slice(Math.max(0, end - 100), end).map((put) => ({ put })),
    );
  expect(readable(backward)).toEqual(expected);
}

describe.skipIf(!existsSync(VENUE_A))('recorded fills of venue_a (skipped: no data at PARALLAX_SHARED)', () => {
  const isSpot = (coin: string) => coin.startsWith('@') || coin.includes('/');
  const rows = () => rowsOf(VENUE_A);

  it('give the same ledgers as a naive calculation', () => {
    const accounts = groupBy(rows(), (row) => row.Account!);
    expect(accounts.size).toBe(2);
    for (const own of accounts.values())
      expectSameAsNaive(
        own.map((row, at) =>
          fill(at, row.Coin!, signedQty(row.Side!, row['Size Tokens']!), row['Execution Price']!, {
            start: row['Start Position']!,
            feeQty: isSpot(row.Coin!) && !isSale(row.Side!) ? row.Fee! : '0',
          }),
        ),
      );
  });

  it('have the closedPnl of the average cost, except where the venue moved a position unseen', () => {
    const closing = [
      ...groupBy(
        rows().filter(({ Coin }) => !isSpot(Coin!)),
        (row) => `${row.Account} ${row.Coin}`,
      ).values(),
    ].flatMap(averageCostOf);
    const different = closing.filter(({ isEqual }) => !isEqual);
    expect(closing.length).toBe(735);
    expect(closing.length - different.length).toBe(720);
    expect(new Set(different.map(({ coin, day }) => `${coin} ${day}`))).toEqual(
      new Set(['EIGEN 25-10-2024', 'EIGEN 26-10-2024', 'kPEPE 20-04-2025']),
    );
  });
});

/** Calculates closedPnl of one account and coin by the venue's rule, and compares it with what the venue states. */
function averageCostOf(rows: readonly Row[]): { coin: string; day: string; isEqual: boolean }[] {
  let position = 0n;
  /** With 36 decimals. */
  let cost = 0n;
  const closing: { coin: string; day: string; isEqual: boolean }[] = [];
  for (const row of rows) {
    const qty = parseDecimal(signedQty(row.Side!, row['Size Tokens']!)) as bigint;
    const price = parseDecimal(row['Execution Price']!) as bigint;
    const start = parseDecimal(row['Start Position']!) as bigint;
    if (position !== 0n && start !== position) cost = (cost * start) / position;
    position = start;
    const isClosing = position !== 0n && position > 0n !== qty > 0n;
    const closed = isClosing ? (abs(qty) < abs(position) ? qty : -position) : 0n;
    if (isClosing) {
      const closedCost = (-cost * closed) / position;
      const pnl = -closed * price - closedCost;
      const stated = (parseDecimal(row['Closed PnL']!) as bigint) * 10n ** 18n;
      const isEqual = abs(pnl - stated) * 100_000n <= abs(qty) * price;
      closing.push({ coin: row.Coin!, day: row['Timestamp IST']!.slice(0, 10), isEqual });
      cost -= closedCost;
    }
    position += qty;
    cost += (qty - closed) * price;
  }
  return closing;
}

const VENUE_B: Record<string, { file: string; wallet: string; instrument: (row: Row) => string; qty: string }> = {
  'one account': {
    file: 'account/one_account_trades_2025-05-30.csv',
    wallet: 'wallet',
    instrument: ({ event_id, outcome_market, outcome }) => `${event_id} ${outcome_market} ${outcome}`,
    qty: 'qty',
  },
  'takers of a settled event': {
    file: 'trades/nobel_peace_2025-10-10_taker_trades.csv',
    wallet: 'proxyWallet',
    instrument: ({ asset }) => asset!,
    qty: 'size',
  },
  'four markets of one event': {
    file: 'trades/fed_march_2026_trades.csv',
    wallet: 'trader_label',
    instrument: ({ market, outcome }) => `${market} ${outcome}`,
    qty: 'qty',
  },
  'both sides of transactions': {
    file: 'trades/both_sides_per_tx_2025-10_2026-03.csv',
    wallet: 'wallet',
    instrument: ({ local_market_id, outcome }) => `${local_market_id} ${outcome}`,
    qty: 'qty',
  },
};

describe.skipIf(!existsSync(join(DATA, 'venue_b')))(
  'recorded trades of venue_b (skipped: no data at PARALLAX_SHARED)',
  () => {
    it.each(Object.entries(VENUE_B))(
      'give the same ledgers as a naive calculation: %s',
      (_, { file, wallet, instrument, qty }) => {
        const accounts = groupBy(rowsOf(join(DATA, 'venue_b', file)), (row) => row[wallet]!);
        for (const own of accounts.values())
          expectSameAsNaive(
            own.map((row, at) => fill(at, instrument(row), signedQty(row.side!, row[qty]!), roundedPrice(row.price!))),
          );
      },
    );
  },
);

function abs(value: bigint): bigint {
  return value < 0n ? -value : value;
}
