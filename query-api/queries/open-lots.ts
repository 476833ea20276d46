import type { Parameter } from '#infra/store/store';
import { type Decimal, parseDecimal } from '#schemas/domain/decimal';
import type { Lot } from '#schemas/domain/ledger/lots';
import type { Query } from './query.ts';

/** An open lot of a book. */
export type OpenLot = Omit<Lot, 'n'>;

/** What was opened by one event in a book with one sign, what the venue's rounding added, and what was closed of it. */
interface LotRow {
  readonly openedBy: string;
  readonly openedAt: number;
  readonly closedQty: string;
  readonly addedQty: string;
  /** The part of the event, the quantity, and the price, which is empty where it is unknown. */
  readonly lots: readonly (readonly [part: string, qty: string, price: string])[];
}

/**
 * The open lots of a book, oldest first: what each event opened, less what later events closed of it.
 *
 * @param condition selects the book's rows of `book_events AS l`.
 */
export function openLots(condition: string, parameters: Readonly<Record<string, Parameter>>): Query<OpenLot[]> {
  return {
    name: 'open-lots',
    sql: `SELECT openedBy, toFloat64(toUnixTimestamp64Milli(anyIf(l.ts, change = 'opened'))) AS openedAt,
       toString(sumIf(piece, change = 'closed')) AS closedQty, toString(sumIf(piece, change = 'added')) AS addedQty,
       arrayMap(lot -> [toString(lot.1), toString(lot.2), ifNull(toString(lot.3), '')],
         groupArrayIf((l.part, piece, l.price), change = 'opened')) AS lots
     FROM book_events AS l FINAL
     ARRAY JOIN arrayConcat([l.id], l.\`closes.openedBy\`, [ifNull(l.enlarged, '')]) AS openedBy,
       arrayConcat([l.opened], l.\`closes.qty\`, [if(isNull(l.enlarged), toDecimal128(0, 18), l.qty)]) AS piece,
       arrayConcat(['opened'], arrayMap(qty -> 'closed', l.\`closes.qty\`), ['added']) AS change
     WHERE ${condition} AND piece != 0
     GROUP BY openedBy, piece > 0
     HAVING sumIf(piece, change != 'closed') != sumIf(piece, change = 'closed')
     ORDER BY anyIf(l.at, change = 'opened'), anyIf(l.index, change = 'opened'), anyIf(l.nth, change = 'opened'),
       openedBy, piece > 0`,
    parameters,
    parse: (rows: LotRow[]) =>
      rows.flatMap((row) => leftOf(row).map((lot) => ({ openedBy: row.openedBy, openedAt: row.openedAt, ...lot }))),
  };
}

/**
 * What is left of the lots of an event. The oldest is closed first: what the venue did not report, then the fill. Rounding
 * was added to the newest.
 */
function leftOf({ closedQty, addedQty, lots }: LotRow): Pick<Lot, 'qty' | 'price'>[] {
  let closed: bigint = parseDecimal(closedQty);
  const opened = [...lots]
    .sort(([a], [b]) => Number(a) - Number(b))
    .map(([, qty, price]) => ({ qty: parseDecimal(qty) as bigint, price }));
  opened[opened.length - 1]!.qty += parseDecimal(addedQty);
  const left: Pick<Lot, 'qty' | 'price'>[] = [];
  for (const { qty, price } of opened) {
    const isClosed = qty > 0n ? closed >= qty : closed <= qty;
    if (!isClosed) left.push({ qty: (qty - closed) as Decimal, price: price === '' ? null : parseDecimal(price) });
    closed = isClosed ? closed - qty : 0n;
  }
  return left;
}
