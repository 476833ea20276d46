/** What the channels of a market change in what REST returned; pure. */
import { applyLevels, createBook, type Level as DecimalLevel, parseLevels } from '#schemas/domain/book';
import { toNumber } from '#schemas/domain/decimal';
import { readBook } from '#schemas/venues/venue-a/book';
import { channelName, type StreamEvent } from '#stream-gateway/client/stream-client';
import type { Level } from '../../format/depth.ts';

/** Trades that the page lists. */
export const TRADES_SHOWN = 20;

/** The books of a coin as the venue sends them. */
export const bookChannel = (coin: string): string => channelName('venue_a_perp', coin);
/**
 * The channels of the trades of a coin, which is null while it is not known. No channel has those of one coin alone: the
 * one of its provider sends all trades of all its coins. On the plan `free` there is none, since at a busy venue these
 * would use up the day's messages of the organization within hours.
 */
export function tradeChannels(coin: string | null, plan: string): string[] {
  if (coin === null || plan === 'free') return [];
  return [channelName('trade', coin.includes(':') ? 'venue_a_dex' : 'venue_a_perp')];
}

export interface Book {
  /** Best first. */
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
  /** The venue's time, unix ms. */
  readonly ts: number;
  /** Number of the event that it came with; none for a book that REST returned. */
  readonly seq?: number;
}

const toLevel = ({ price, size }: DecimalLevel): Level => ({ price: toNumber(price), size: toNumber(size) });

/** Replaces the book by the one that the channel sent if that is later by the venue's time. */
export function withBooks(read: Book, events: Iterable<StreamEvent>): Book {
  let newest = read;
  for (const { seq, data } of events) {
    const { time, bids, asks } = readBook(data.payload);
    if (time <= newest.ts) continue;
    const book = createBook();
    applyLevels(book, { snapshot: true, bids: parseLevels(bids), asks: parseLevels(asks) });
    newest = { bids: book.bids.map(toLevel), asks: book.asks.map(toLevel), ts: time, seq };
  }
  return newest;
}

export interface Trade extends Level {
  readonly side: 'buy' | 'sell';
  /** The venue's time, unix ms. */
  readonly ts: number;
  readonly txHash: string | null;
  /** Number of the event that it came with; none for a trade that REST returned. */
  readonly seq?: number;
}

export interface Trades {
  /** Newest first. */
  readonly trades: readonly Trade[];
}

/** What a trade record of the stream states that the page shows. */
interface TradeRecord {
  readonly id: string;
  readonly marketId: string | null;
  readonly ts: string;
  readonly side: 'buy' | 'sell';
  readonly price: number;
  readonly qty: number;
  readonly txHash: string | null;
}

/** Returns the id of a trade of this coin; null for trades of others. */
export const tradeKeyOf =
  (coin: string) =>
  ({ data }: StreamEvent): string | null => {
    const { id, marketId } = data.payload as TradeRecord;
    return marketId === coin ? id : null;
  };

function toTrade({ seq, data }: StreamEvent): Trade {
  const { ts, side, price, qty, txHash } = data.payload as TradeRecord;
  return { price, size: qty, side, ts: Date.parse(ts), txHash, seq };
}

const sameOf = ({ price, size, side, ts, txHash }: Trade): string => [ts, txHash, side, price, size].join(' ');

/**
 * Adds the trades that the channel sent and REST has not returned. REST states no ids: of trades that are equal in all
 * fields there are as many as either of the two has.
 */
export function withTrades<T extends Trades>(list: T, events: Iterable<StreamEvent>): T {
  const known = new Map<string, number>();
  for (const trade of list.trades) known.set(sameOf(trade), (known.get(sameOf(trade)) ?? 0) + 1);
  const added = [...events].map(toTrade).filter((trade) => {
    const left = known.get(sameOf(trade)) ?? 0;
    known.set(sameOf(trade), left - 1);
    return left <= 0;
  });
  if (added.length === 0) return list;
  // The sort is stable: of equal times the trade that came last is first.
  const trades = [...added.reverse(), ...list.trades].sort((a, b) => b.ts - a.ts);
  return { ...list, trades: trades.slice(0, TRADES_SHOWN) };
}
