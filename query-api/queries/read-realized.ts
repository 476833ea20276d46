/** What ledgers realized in a window of the venue's time. */
import { type Decimal, parseDecimal, ZERO } from '#schemas/domain/decimal';
import type { FollowedLedger } from '#schemas/topics/ledgers';
import { IS_OF_LEDGERS, inParts, ledgerParameters } from './ledger-rows.ts';
import { type OpenBook, openLots } from './open-lots.ts';
import { type Query, queryBatch, type Reader } from './query.ts';

/** Unix ms, both inclusive. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

export interface Realized {
  /** Events of the ledgers at any time. */
  readonly events: number;
  /** Of fills in the window. */
  readonly totalNotional: Decimal;
  /** Null if one fee in the window is unknown. */
  readonly fees: Decimal | null;
  /** What was realized at each moment of the window at which lots of known cost were closed, oldest first. */
  readonly moments: readonly { readonly ts: number; readonly realized: Decimal }[];
  /** The open books now. */
  readonly books: readonly OpenBook[];
}

interface Sums {
  readonly events: number;
  readonly notional: string;
  readonly unknownFees: number;
  readonly fees: string | null;
}

interface Moment {
  readonly at: number;
  readonly sum: string;
}

export async function readRealized(
  store: Reader,
  ledgers: readonly FollowedLedger[],
  window: Window,
): Promise<Realized> {
  let events = 0;
  let totalNotional = 0n;
  let fees: bigint | null = 0n;
  const byTime = new Map<number, bigint>();
  const books: OpenBook[] = [];
  for (const part of inParts(ledgers)) {
    const parameters = { ...ledgerParameters(part), ...window };
    const condition = `${IS_OF_LEDGERS} AND l.state = 'applied'`;
    const queries = [sumsOf(condition, parameters), momentsOf(condition, parameters)] as const;
    const [sums, moments, open] = await queryBatch(store, [...queries, openLots(condition, ledgerParameters(part))]);
    events += sums.events;
    totalNotional += parseDecimal(sums.notional);
    fees = fees === null || sums.unknownFees > 0 ? null : fees + parseDecimal(sums.fees ?? '0');
    for (const { at, sum } of moments) byTime.set(at, (byTime.get(at) ?? 0n) + parseDecimal(sum));
    books.push(...open);
  }
  const moments = [...byTime].map(([ts, realized]) => ({ ts, realized: realized as Decimal }));
  moments.sort((a, b) => a.ts - b.ts);
  return { events, totalNotional: totalNotional as Decimal, fees: fees as Decimal | null, moments, books };
}

type Parameters = ReturnType<typeof ledgerParameters> & Window;

const IS_IN_WINDOW = 'l.ts >= fromUnixTimestamp64Milli({from:Int64}) AND l.ts <= fromUnixTimestamp64Milli({to:Int64})';

function sumsOf(condition: string, parameters: Parameters): Query<Sums> {
  return {
    name: 'ledger-sums',
    sql: `SELECT toFloat64(count()) AS events, sumIf(l.notional, ${IS_IN_WINDOW}) AS notional,
       toFloat64(countIf(l.fee IS NULL AND ${IS_IN_WINDOW})) AS unknownFees, sumIf(l.fee, ${IS_IN_WINDOW}) AS fees
     FROM ledger_events AS l FINAL WHERE ${condition}`,
    parameters: { ...parameters },
    parse: (rows: Sums[]) => rows[0] ?? { events: 0, notional: '0', unknownFees: 0, fees: null },
  };
}

function momentsOf(condition: string, parameters: Parameters): Query<Moment[]> {
  return {
    name: 'realized-moments',
    sql: `SELECT toFloat64(toUnixTimestamp64Milli(l.ts)) AS at, sum(l.realized) AS sum
     FROM ledger_events AS l FINAL
     WHERE ${condition} AND ${IS_IN_WINDOW} AND l.realized IS NOT NULL AND notEmpty(l.\`closes.qty\`)
     GROUP BY l.ts
     ORDER BY l.ts`,
    parameters: { ...parameters },
    parse: (rows: Moment[]) => rows,
  };
}

/** The sum of what was realized. */
export function sumOf(moments: Realized['moments']): Decimal {
  return moments.reduce((sum, { realized }) => (sum + realized) as Decimal, ZERO);
}
