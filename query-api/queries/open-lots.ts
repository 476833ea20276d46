import type { Parameter } from '#infra/store/store';
import { parseDecimal } from '#schemas/domain/decimal';
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

interface LotRow {
  readonly account: string;
  readonly instrument: string;
  readonly builder: string | null;
  readonly openedBy: string;
  readonly openedAt: number;
  readonly left: string;
  readonly cost: string | null;
}

/**
 * The open lots of books: what each event opened, less what later events closed of it. Books without lots are left out.
 *
 * @param condition selects the books' rows of `ledger_events AS l`.
 */
export function openLots(condition: string, parameters: Readonly<Record<string, Parameter>>): Query<OpenBook[]> {
  return {
    name: 'open-lots',
    sql: `SELECT opened.account AS account, opened.instrument AS instrument, opened.builder AS builder,
       opened.id AS openedBy, opened.openedAt AS openedAt, opened.qty - closed.qty AS left, opened.cost AS cost
     FROM (
       SELECT l.account AS account, l.instrument AS instrument, l.builder AS builder, ifNull(l.builder, '') AS book,
         l.id AS id, toFloat64(toUnixTimestamp64Milli(l.ts)) AS openedAt, l.at AS at, l.index AS place,
         l.opened AS qty, l.price AS cost
       FROM ledger_events AS l FINAL WHERE ${condition} AND l.opened != 0
     ) AS opened
     LEFT JOIN (
       SELECT l.account AS account, l.instrument AS instrument, ifNull(l.builder, '') AS book, openedBy, sum(part) AS qty
       FROM ledger_events AS l FINAL ARRAY JOIN l.\`closes.openedBy\` AS openedBy, l.\`closes.qty\` AS part
       WHERE ${condition}
       GROUP BY account, instrument, book, openedBy
     ) AS closed
     ON closed.account = opened.account AND closed.instrument = opened.instrument AND closed.book = opened.book
       AND closed.openedBy = opened.id
     WHERE left != 0
     ORDER BY opened.at, opened.place, opened.id`,
    parameters,
    parse: (rows: LotRow[]) => {
      const books = new Map<string, OpenBook & { readonly lots: Lot[] }>();
      for (const [n, { account, instrument, builder, openedBy, openedAt, left, cost }] of rows.entries()) {
        const key = `${account} ${instrument} ${builder ?? ''}`;
        const book = books.get(key) ?? { account, instrument, builder, lots: [] };
        book.lots.push({
          openedBy,
          openedAt,
          n,
          qty: parseDecimal(left),
          price: cost === null ? null : parseDecimal(cost),
        });
        books.set(key, book);
      }
      return [...books.values()];
    },
  };
}
