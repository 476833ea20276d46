/** Records for the stage `ledgers`: bindings, and trades of venue_b between accounts that are bound and others. */
import { bindWallet } from '#schemas/domain/control/commands/bind-wallet';
import { seedAdminKey } from '#schemas/domain/control/commands/seed-admin-key';
import { type ClockMark, type ControlChange, changeTopic, clockTopic } from '#schemas/topics/control';
import { type Trade, tradeTopics } from '#schemas/topics/normalised';
import type { Topic } from '#schemas/topics/topic';

const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2026, 0, 1);
const ORGANIZATION = { id: 'org_bench', name: 'Bench', plan: 'enterprise' } as const;
const ACTOR = { orgId: ORGANIZATION.id, keyId: 'bench', userId: 'admin', sandbox: false };
/** Of a key that nobody can use. */
const NO_SECRET = { algorithm: 'scrypt', N: 16, r: 1, p: 1, salt: '', hash: '' } as const;
/** The other side of every trade, which is not bound. */
const OTHER = address(0xffff);
const TOKENS = 5;
/** Lots that stay open in each book: trades open and close the others in turn. */
const OPEN_LOTS = 2;

/** A record with its topic. */
export interface LedgerRecord {
  readonly topic: Topic;
  readonly value: Trade | ControlChange | ClockMark;
}

export interface LedgerRecordsOptions {
  readonly accounts: number;
  readonly trades: number;
  /** Trades of a day, all accounts together. */
  readonly tradesOfDay: number;
  /** Tokens that each account trades; 5 by default. */
  readonly tokens?: number;
}

/**
 * Yields the bindings, then trades in order of time, with a clock mark at each UTC midnight. Every book has the same lots
 * open after any number of trades that is a multiple of twice the number of books.
 */
export function* ledgerRecords({
  accounts,
  trades,
  tradesOfDay,
  tokens = TOKENS,
}: LedgerRecordsOptions): Generator<LedgerRecord> {
  const bind = (nth: number) => ({
    ...{ actor: ACTOR, walletId: `wal_${nth}`, provider: 'venue_b', address: accountAddress(nth), label: '' },
  });
  yield changeOf(0, seedAdminKey.type, {
    ...{ keyId: ACTOR.keyId, secret: NO_SECRET, organization: ORGANIZATION, minted: true },
  });
  for (let nth = 0; nth < accounts; nth += 1) yield changeOf(nth + 1, bindWallet.type, bind(nth));
  const books = accounts * tokens;
  let day = 0;
  for (let nth = 0; nth < trades; nth += 1) {
    const ts = START_MS + Math.floor((nth * DAY_MS) / tradesOfDay);
    for (; day < Math.floor((ts - START_MS) / DAY_MS); day += 1)
      yield { topic: clockTopic as Topic, value: clockAt(START_MS + (day + 1) * DAY_MS) };
    yield { topic: tradeTopics.venue_b as Topic, value: tradeOf(nth, tokens, books, ts) };
  }
}

/** The first account buys before all trades of the others, and this arrives after `trades` of them. */
export function lateTrade(trades: number, tokens: number): LedgerRecord {
  const id = 'venue_b:late:1';
  const value = {
    ...tradeOf(0, tokens, tokens, START_MS),
    id,
    txHash: '0xlate',
    arrival: trades + 1,
    blockNumber: 999,
  };
  return { topic: tradeTopics.venue_b as Topic, value };
}

function tradeOf(nth: number, tokens: number, books: number, ts: number): Trade {
  const book = nth % books;
  const round = Math.floor(nth / books);
  const user = accountAddress(Math.floor(book / tokens));
  const token = tokenOf(book);
  const isTaker = nth % 2 === 0;
  // First the lots that stay, then one is opened and the oldest closed.
  const side = round < OPEN_LOTS || (round - OPEN_LOTS) % 2 === 0 ? 'buy' : 'sell';
  const price = `0.${100 + ((nth * 7_919) % 800)}`;
  const txHash = `0x${nth.toString(16).padStart(64, '0')}`;
  return {
    id: `venue_b:${txHash}:1`,
    provider: 'venue_b',
    marketId: `0x${book.toString(16).padStart(64, '0')}`,
    instrument: token,
    outcome: 'Yes',
    ts,
    receivedAt: ts + 900,
    arrival: nth + 1,
    side: isTaker ? side : opposite(side),
    price,
    qty: '12.5',
    usd: null,
    maker: isTaker ? OTHER : user,
    taker: isTaker ? user : OTHER,
    txHash,
    logIndex: 1,
    tradeId: null,
    blockNumber: 1_000 + nth,
    blockHash: txHash,
    status: 'confirmed',
    orders: {
      makerInstrument: token,
      makerSide: isTaker ? opposite(side) : side,
      makerPrice: price,
      makerBuilder: null,
      makerFee: '0',
      takerBuilder: null,
      takerFee: '0.01',
    },
  };
}

/** The token of the `nth` book, from 0: those of the first account come first. */
export function tokenOf(nth: number): string {
  return String(1_000 + nth);
}

function opposite(side: Trade['side']): Trade['side'] {
  return side === 'buy' ? 'sell' : 'buy';
}

function changeOf(nth: number, type: string, body: object): LedgerRecord {
  const at = START_MS - 1_000;
  const value = { id: `c${nth}`, receivedAt: at, wallTime: at, type, body: JSON.stringify(body), commandOffset: nth };
  return { topic: changeTopic as Topic, value };
}

const clockAt = (receivedAt: number): ClockMark => ({ receivedAt, tick: true, hour: true, day: true });

/** The address of the `nth` account, from 0. */
export function accountAddress(nth: number): string {
  return address(nth + 1);
}

function address(nth: number): string {
  return `0x${nth.toString(16).padStart(40, '0')}`;
}
