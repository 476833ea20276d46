/**
 * Reads trades of the venue's messages: the `trades` channel and answers of `recentTrades` (venue page, sections 3.1 and
 * 7). The normaliser and the routes that serve an answer use it, so both state the same.
 */
import {
  FieldError,
  readAmount,
  readInteger,
  readList,
  readObject,
  readText,
  withPath,
} from '../../domain/json-fields.ts';
import type { Provider } from '../../domain/providers.ts';
import type { Trade } from '../../topics/normalised.ts';

/** A validated trade of a message. */
export interface TradeMessage {
  readonly coin: string;
  /** Side of the taker. */
  readonly side: 'buy' | 'sell';
  readonly price: string;
  readonly qty: string;
  /** Block time, unix ms: equal for all trades of a block. */
  readonly time: number;
  /** All zero for many ordinary trades, so it identifies nothing. */
  readonly hash: string;
  readonly tid: number;
  readonly buyer: string | null;
  readonly seller: string | null;
}

/** Reads all trades of a message before any is emitted, so that a bad one changes nothing. Throws `FieldError`. */
export function readTrades(data: unknown): readonly TradeMessage[] {
  return readList(data, 'data').map(readTrade);
}

/** What a trade is identified by among those of its coin. */
export const tradeKey = ({ time, tid }: Pick<TradeMessage, 'time' | 'tid'>): string => `${time}:${tid}`;

/** The fields of a trade that follow from the message alone. */
export function tradeFields(
  provider: Provider,
  trade: TradeMessage,
): Omit<Trade, 'marketId' | 'outcome' | 'receivedAt' | 'arrival'> {
  const { coin, side, buyer, seller } = trade;
  return {
    id: `${provider}:${coin}:${tradeKey(trade)}`,
    provider,
    instrument: coin,
    ts: trade.time,
    side,
    price: trade.price,
    qty: trade.qty,
    // The venue states no amount; readers that need it multiply price and quantity.
    usd: null,
    maker: side === 'buy' ? seller : buyer,
    taker: side === 'buy' ? buyer : seller,
    txHash: trade.hash,
    logIndex: null,
    tradeId: String(trade.tid),
    blockNumber: null,
    blockHash: null,
    status: 'confirmed',
    orders: null,
  };
}

function readTrade(value: unknown, at: number): TradeMessage {
  try {
    const trade = readObject(value, 'trade');
    const [buyer, seller] = readUsers(trade.users);
    return {
      coin: readText(trade.coin, 'coin'),
      side: readSide(trade.side),
      price: readAmount(trade.px, 'px'),
      qty: readAmount(trade.sz, 'sz'),
      time: readInteger(trade.time, 'time'),
      hash: readText(trade.hash, 'hash'),
      tid: readInteger(trade.tid, 'tid'),
      buyer,
      seller,
    };
  } catch (error) {
    throw withPath(error, `data[${at}]`);
  }
}

function readSide(value: unknown): 'buy' | 'sell' {
  if (value === 'B') return 'buy';
  if (value === 'A') return 'sell';
  throw new FieldError('side', 'B or A', value);
}

function readUsers(value: unknown): readonly [string | null, string | null] {
  // The oldest recordings lack the users; buyer and seller are unknown then.
  if (value === undefined || value === null) return [null, null];
  if (!Array.isArray(value) || value.length !== 2) throw new FieldError('users', 'buyer and seller', value);
  return [readText(value[0], 'users[0]').toLowerCase(), readText(value[1], 'users[1]').toLowerCase()];
}
