import { type Decimal, parseDecimal } from '#schemas/domain/decimal';
import { inParts, isOfLedgers, type LedgerPart } from './ledger-rows.ts';
import { query, type Reader } from './query.ts';

/** Unix ms of the venue, both inclusive. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

/** A moment at which lots of known cost were closed. */
export interface Moment {
  /** Unix ms of the venue. */
  readonly ts: number;
  readonly realized: Decimal;
}

/** Reads what ledgers realized at each moment of a window, oldest first. */
export async function readRealized(store: Reader, ledgers: readonly LedgerPart[], window: Window): Promise<Moment[]> {
  const byTime = new Map<number, bigint>();
  for (const part of inParts(ledgers))
    for (const { at, sum } of await momentsOf(store, part, window))
      byTime.set(at, (byTime.get(at) ?? 0n) + parseDecimal(sum));
  const moments = [...byTime].map(([ts, realized]) => ({ ts, realized: realized as Decimal }));
  return moments.sort((a, b) => a.ts - b.ts);
}

interface Row {
  readonly at: number;
  readonly sum: string;
}

function momentsOf(store: Reader, ledgers: readonly LedgerPart[], window: Window): Promise<Row[]> {
  const own = isOfLedgers(ledgers);
  return query(store, {
    name: 'realized-moments',
    sql: `SELECT toFloat64(toUnixTimestamp64Milli(l.ts)) AS at, sum(l.realized) AS sum
     FROM book_events AS l FINAL
     WHERE ${own.sql} AND l.state = 'applied' AND l.realized IS NOT NULL AND notEmpty(l.\`closes.qty\`)
       AND l.ts >= fromUnixTimestamp64Milli({from:Int64}) AND l.ts <= fromUnixTimestamp64Milli({to:Int64})
     GROUP BY l.ts
     ORDER BY l.ts`,
    parameters: { ...own.parameters, ...window },
    parse: (rows: Row[]) => rows,
  });
}
