/** Prices at which open positions in tokens are valued. */
import { type Decimal, divideHalfEven, parseDecimal } from '#schemas/domain/decimal';
import type { Views } from '../views/views.ts';
import { query, type Reader } from './query.ts';

/** Maximum of instruments per statement: they are sent in its URL. */
const INSTRUMENTS_MAX = 2_000;

/**
 * Returns the mark of each instrument that has one: the mid of its live book if that has both sides, else its last trade
 * that was not reverted.
 */
export async function readMarks(
  store: Reader,
  views: Pick<Views, 'events' | 'questionBooks'>,
  provider: string,
  instruments: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Decimal>> {
  const marks = new Map<string, Decimal>();
  const unpriced: string[] = [];
  for (const instrument of instruments) {
    const mid = liveMid(views, instrument);
    if (mid === null) unpriced.push(instrument);
    else marks.set(instrument, mid);
  }
  for (let at = 0; at < unpriced.length; at += INSTRUMENTS_MAX) {
    const part = unpriced.slice(at, at + INSTRUMENTS_MAX);
    for (const [instrument, price] of await lastTrades(store, provider, part)) marks.set(instrument, price);
  }
  return marks;
}

function liveMid(
  { events, questionBooks }: Pick<Views, 'events' | 'questionBooks'>,
  instrument: string,
): Decimal | null {
  if (events.statuses.get(instrument)?.state !== 'live') return null;
  const { bids, asks } = questionBooks.books.get(instrument)?.book ?? { bids: [], asks: [] };
  const [bid, ask] = [bids[0], asks[0]];
  return bid && ask ? (divideHalfEven(bid.price + ask.price, 2n) as Decimal) : null;
}

function lastTrades(store: Reader, provider: string, instruments: readonly string[]): Promise<[string, Decimal][]> {
  return query(store, {
    name: 'last-trades',
    sql: `SELECT instrument, price
     FROM trades AS t FINAL
     WHERE provider = {provider:String} AND instrument IN {instruments:Array(String)} AND status != 'reverted'
     ORDER BY t.ts DESC, t.arrival DESC, id DESC
     LIMIT 1 BY instrument`,
    parameters: { provider, instruments },
    parse: (rows: { instrument: string; price: string }[]) =>
      rows.map(({ instrument, price }): [string, Decimal] => [instrument, parseDecimal(price)]),
  });
}
