import type { Parameter } from '#infra/store/store';
import { type Decimal, parseDecimal } from '#schemas/domain/decimal';
import type { Lot } from '#schemas/domain/ledger/lots';
import type { Query } from './query.ts';

/** The open lots of one book. */
export interface OpenBook {
  readonly account: string;
  readonly instrument: string;
  readonly builder: string | null;
  /** Oldest first. */
  readonly lots: readonly Lot[];
}

/** What was opened by one event in one book with one sign, and what was closed of it. */
interface LotRow {
  readonly account: string;
  readonly instrument: string;
  readonly builder: string | null;
  readonly openedBy: string;
  readonly openedAt: number;
  readonly closedQty: string;
  /** The part of the event, the quantity, and the price, which is empty where it is unknown. */
  readonly lots: readonly (readonly [part: string, qty: string, price: string])[];
}

/**
 * The open lots of books: what each event opened, less what later events closed of it. Books without lots are left out.
 *
 * @param condition selects the books' rows of `ledger_events AS l`.
 */
export function openLots(condition: string, parameters: Readonly<Record<string, Parameter>>): Query<OpenBook[]> {
  return {
    name: 'open-lots',
    sql: `SELECT l.account AS account, l.instrument AS instrument, l.builder AS builder, openedBy,
       toFloat64(toUnixTimestamp64Milli(anyIf(l.ts, isOpening))) AS openedAt,
       toString(sumIf(piece, NOT isOpening)) AS closedQty,
       arrayMap(lot -> [toString(lot.1), toString(lot.2), ifNull(toString(lot.3), '')],
         groupArrayIf((l.part, piece, l.price), isOpening)) AS lots
     FROM ledger_events AS l FINAL
     ARRAY JOIN arrayConcat([l.id], l.\`closes.openedBy\`) AS openedBy,
       arrayConcat([l.opened], l.\`closes.qty\`) AS piece,
       arrayConcat([true], arrayMap(qty -> false, l.\`closes.qty\`)) AS isOpening
     WHERE ${condition} AND piece != 0
     GROUP BY l.account, l.instrument, l.builder, openedBy, piece > 0
     HAVING sumIf(piece, isOpening) != sumIf(piece, NOT isOpening)
     ORDER BY anyIf(l.at, isOpening), anyIf(l.index, isOpening), openedBy, piece > 0`,
    parameters,
    parse: (rows: LotRow[]) => {
      const books = new Map<string, OpenBook & { readonly lots: Lot[] }>();
      let n = 0;
      for (const row of rows) {
        const { account, instrument, builder, openedBy, openedAt } = row;
        const key = `${account} ${instrument} ${builder ?? ''}`;
        const book = books.get(key) ?? { account, instrument, builder, lots: [] };
        for (const { qty, price } of leftOf(row)) {
          book.lots.push({ openedBy, openedAt, n, qty, price });
          n += 1;
        }
        if (book.lots.length > 0) books.set(key, book);
      }
      return [...books.values()];
    },
  };
}

/** What is left of the lots of an event. The oldest is closed first: what the venue did not report, then the fill. */
function leftOf({ closedQty, lots }: LotRow): Pick<Lot, 'qty' | 'price'>[] {
  let closed: bigint = parseDecimal(closedQty);
  const left: Pick<Lot, 'qty' | 'price'>[] = [];
  for (const [, text, price] of [...lots].sort(([a], [b]) => Number(a) - Number(b))) {
    const opened = parseDecimal(text);
    const isClosed = opened > 0n ? closed >= opened : closed <= opened;
    if (!isClosed) left.push({ qty: (opened - closed) as Decimal, price: price === '' ? null : parseDecimal(price) });
    closed = isClosed ? closed - opened : 0n;
  }
  return left;
}
