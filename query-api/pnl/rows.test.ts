import { describe, expect, it } from 'vitest';
import type { Wallet } from '#schemas/domain/control/state';
import { formatDecimal, parseDecimal } from '#schemas/domain/decimal';
import { sumsOf } from '#schemas/domain/ledger/open-position';
import { aLink, anEvent } from '#schemas/testing/records.fixture';
import { createEventIndex, putEvent } from '../views/event-index.ts';
import type { Figures } from './figures.ts';
import { coverageOf } from './records.ts';
import {
  rowsByBuilder,
  rowsByEvent,
  rowsByProvider,
  rowsByWallet,
  type ShownWallets,
  sortRows,
  type WalletBook,
} from './rows.ts';

const wallet = (id: string, provider = 'venue_b') => ({ id, provider, address: `0x${id}`, label: '' }) as Wallet;
const [A, B] = [wallet('a'), wallet('b')];

/** A book with one lot: `book('YES', 3, '0.4')` holds 3 at 0.4. */
function book(
  instrument: string,
  qty: number,
  price: string | null,
  more: {
    realized?: string | null;
    fees?: string | null;
    mark?: string | null;
    of?: Wallet;
    builder?: string;
    market?: string | null;
    provider?: string;
  } = {},
): WalletBook {
  const { realized = '1', fees = '0.1', mark = '0.5', of = A, builder = null, market = 'm1' } = more;
  const { provider = of.provider } = more;
  const decimal = (text: string | null) => (text === null ? null : parseDecimal(text));
  const lot = { qty: parseDecimal(String(qty)), price: decimal(price) };
  const index = instrument.startsWith('YES') ? 0 : 1;
  return {
    account: `venue_b:${of.address}`,
    wallet: of,
    provider,
    instrument,
    builder,
    realized: decimal(realized),
    notional: parseDecimal('2'),
    trades: 1,
    fees: decimal(fees),
    open: sumsOf(qty === 0 ? [] : [lot]),
    isPartial: false,
    mark: decimal(mark),
    token: market === null ? null : { provider: 'venue_b', marketId: market, index, yesIndex: 0, outcome: instrument },
  };
}

const eventsWith = (polarity: 'same' | 'inverse') => {
  const events = createEventIndex();
  const link = (marketId: string, yes: string, no: string, of: 'same' | 'inverse') =>
    aLink({ provider: 'venue_b', providerMarketId: marketId, yesInstrument: yes, noInstrument: no, polarity: of });
  const links = [link('m1', 'YES', 'NO', 'same'), link('m2', 'YES2', 'NO2', polarity)];
  putEvent(events, anEvent({ universalId: 'evt_1', canonicalName: 'A question', links }));
  return events;
};

const text = (value: bigint | null | undefined) => (value == null ? null : formatDecimal(value as never));
const shown = ({ realized, unrealized, openPosition, totalNotional, tradeCount, fees, unpriced }: Figures) => [
  ...[realized, unrealized, openPosition, totalNotional, fees].map(text),
  tradeCount,
  unpriced,
];

/** Wallets whose figures are complete where they are known. */
function of(wallets: readonly Wallet[], isKnown: ShownWallets['isKnown'] = () => true): ShownWallets {
  return { wallets, isKnown, isComplete: isKnown };
}

describe('rows by event', () => {
  it('sum the books of all markets of the event in terms of its YES, with a leg for each token', () => {
    const books = [book('YES', 3, '0.4'), book('NO', 1, '0.3'), book('NO2', 2, '0.6', { market: 'm2' })];
    const [row, ...others] = rowsByEvent(books, eventsWith('inverse'));
    expect(others).toEqual([]);
    expect(row!.event?.canonicalName).toBe('A question');
    // 3 - 1 + 2, since the NO of an inverse link is a YES of the event.
    expect(text(row!.position.qty)).toBe('4');
    // Lots of both signs are open.
    expect([row!.position.avgCost, row!.position.currentPrice]).toEqual([null, null]);
    expect(shown(row!.figures)).toEqual(['3', '0.3', '4', '6', '0.3', 3, 0]);
    expect(row!.legs.map(({ tokenId, position }) => [tokenId, text(position.qty), text(position.avgCost)])).toEqual([
      ['YES', '3', '0.4'],
      ['NO', '1', '0.3'],
      ['NO2', '2', '0.6'],
    ]);
  });

  it('average cost and price where all lots have one sign', () => {
    const books = [book('NO', 1, '0.3', { mark: '0.4' }), book('YES2', 3, '0.5', { market: 'm2', mark: '0.8' })];
    const { position } = rowsByEvent(books, eventsWith('inverse'))[0]!;
    // -1 at 0.7 and -3 at 0.5, marked at 0.6 and 0.2.
    expect([position.qty, position.avgCost, position.currentPrice].map(text)).toEqual(['-4', '0.55', '0.3']);
  });

  it('are separate for a market without an event and for a token without a market', () => {
    const books = [
      book('YES', 3, '0.4'),
      book('NO', 1, '0.3', { market: 'm9' }),
      book('YES8', 1, '0.3', { market: null }),
    ];
    const rows = rowsByEvent(books, eventsWith('same'));
    expect(rows.map(({ event, position }) => [event?.universalId ?? null, text(position.qty)])).toEqual([
      ['evt_1', '3'],
      [null, '-1'],
      [null, '1'],
    ]);
  });
});

describe('sums', () => {
  it('leave unknown parts out, and are unknown if all parts are', () => {
    const known = book('YES', 3, '0.4');
    const unknown = book('NO', 1, null, { realized: null, mark: null, fees: null });
    const sum = (...books: WalletBook[]) => shown(rowsByWallet(books, of([A]))[0]!.figures);
    expect(sum(known, unknown)).toEqual(['1', '0.3', '1.5', '4', null, 2, 1]);
    expect(sum(unknown)).toEqual([null, null, null, '2', null, 1, 1]);
    expect(sum(book('YES', 3, '0.4', { mark: '0' }))).toEqual(['1', '-1.2', '0', '2', '0.1', 1, 0]);
    expect(sum(book('YES', 0, null))).toEqual(['1', '0', '0', '2', '0.1', 1, 0]);
  });
});

describe('other rows', () => {
  const books = [
    book('YES', 3, '0.4', { builder: '0x1' }),
    book('YES', 1, '0.4', { of: B, builder: '0x1' }),
    book('NO', 1, '0.3', { of: B }),
  ];

  it('by wallet are one for each wallet, unknown where it has no ledger', () => {
    const rows = rowsByWallet(
      books,
      of([A, B, wallet('c')], ({ id }) => id !== 'c'),
    );
    expect(rows.map(({ key, figures }) => [key, figures.tradeCount])).toEqual([
      ['a', 1],
      ['b', 2],
      ['c', null],
    ]);
  });

  it('by provider count the wallets', () => {
    const rows = rowsByProvider(
      books,
      of([A, B, wallet('d', 'venue_a_perp')], ({ provider }) => provider === 'venue_b'),
    );
    expect(rows.map(({ provider, walletCount, figures }) => [provider, walletCount, text(figures.realized)])).toEqual([
      ['venue_b', 2, '3'],
      ['venue_a_perp', 1, null],
    ]);
  });

  it('by provider are those of the coins, whatever provider of the venue the wallet is bound under', () => {
    const own = wallet('d', 'venue_a_perp');
    const coins = [
      book('BTC', 1, '5', { of: own, market: null }),
      book('x:GOLD', 1, '5', { of: own, market: null, provider: 'venue_a_dex' }),
    ];
    const rows = rowsByProvider(coins, of([own]));
    expect(rows.map(({ provider, walletCount, books: of }) => [provider, walletCount, of.length])).toEqual([
      ['venue_a_perp', 1, 1],
      ['venue_a_dex', 1, 1],
    ]);
  });

  it('by builder are one for each', () => {
    const rows = rowsByBuilder(books.filter(({ builder }) => builder !== null));
    expect(rows.map(({ builder, walletCount, figures }) => [builder, walletCount, figures.tradeCount])).toEqual([
      ['0x1', 2, 2],
    ]);
  });

  it('are sorted by a figure, unknown ones last in either order, equal ones by key', () => {
    const rows = rowsByWallet(
      books,
      of([wallet('z'), B, A, wallet('y')], ({ id }) => id === 'a' || id === 'b'),
    );
    const order = (isDescending: boolean) => sortRows(rows, 'realized', isDescending).map(({ key }) => key);
    expect(order(true)).toEqual(['b', 'a', 'y', 'z']);
    expect(order(false)).toEqual(['a', 'b', 'y', 'z']);
  });
});

it('rows of wallets whose history is not complete are partial, also without books', () => {
  const shown = { wallets: [A, B], isKnown: () => true, isComplete: (one: Wallet) => one === A };
  expect(rowsByWallet([], shown).map(coverageOf)).toEqual(['complete', 'partial']);
  expect(rowsByProvider([], shown).map(coverageOf)).toEqual(['partial']);
});
