/** Prices at which open positions are valued, except payouts (`read-payouts.ts`), which come first. */
import type { Book } from '#schemas/domain/book';
import { type Decimal, divideHalfEven, parseDecimal } from '#schemas/domain/decimal';
import { PRICE_PROVIDERS } from '#schemas/domain/providers';
import { bookOf } from '../views/books.ts';
import type { Views } from '../views/views.ts';
import { query, type Reader } from './query.ts';

/** Maximum of instruments per statement: they are sent in its URL. */
const INSTRUMENTS_MAX = 2_000;

export type MarkViews = Pick<Views, 'events' | 'questionBooks' | 'books' | 'coins'>;

/**
 * Returns the mark of each instrument that has one: the mid of its live book if that has both sides, else the venue's own
 * mid of a coin, else its last trade that was not reverted.
 * @param instruments the provider of each.
 */
export async function readMarks(
  store: Reader,
  views: MarkViews,
  instruments: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, Decimal>> {
  const marks = new Map<string, Decimal>();
  const unpriced: string[] = [];
  for (const [instrument, provider] of instruments) {
    const isCoin = PRICE_PROVIDERS.has(provider);
    const mid = liveMid(views, instrument, isCoin) ?? (isCoin ? venueMid(views, instrument) : null);
    if (mid === null) unpriced.push(instrument);
    else marks.set(instrument, mid);
  }
  const providers = [...new Set(instruments.values())];
  for (let at = 0; at < unpriced.length; at += INSTRUMENTS_MAX) {
    const part = unpriced.slice(at, at + INSTRUMENTS_MAX);
    for (const [instrument, price] of await lastTrades(store, providers, part)) marks.set(instrument, price);
  }
  return marks;
}

function liveMid(views: MarkViews, instrument: string, isCoin: boolean): Decimal | null {
  if (views.events.statuses.get(instrument)?.state !== 'live') return null;
  const book: Book | undefined = isCoin
    ? bookOf(views.books.venue_a, instrument)?.book
    : views.questionBooks.books.get(instrument)?.book;
  const [bid, ask] = [book?.bids[0], book?.asks[0]];
  return bid && ask ? (divideHalfEven(bid.price + ask.price, 2n) as Decimal) : null;
}

function venueMid({ coins }: MarkViews, coin: string): Decimal | null {
  const mid = coins.venue_a.contexts.get(coin)?.midPrice ?? null;
  return mid === null ? null : parseDecimal(mid);
}

function lastTrades(
  store: Reader,
  providers: readonly string[],
  instruments: readonly string[],
): Promise<[string, Decimal][]> {
  return query(store, {
    name: 'last-trades',
    sql: `SELECT instrument, price
     FROM trades AS t FINAL
     WHERE provider IN {providers:Array(String)} AND instrument IN {instruments:Array(String)} AND status != 'reverted'
     ORDER BY t.ts DESC, t.arrival DESC, id DESC
     LIMIT 1 BY instrument`,
    parameters: { providers: [...providers], instruments },
    parse: (rows: { instrument: string; price: string }[]) =>
      rows.map(({ instrument, price }): [string, Decimal] => [instrument, parseDecimal(price)]),
  });
}
