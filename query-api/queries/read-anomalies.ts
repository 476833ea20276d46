import { anomaliesTable } from '#schemas/tables/anomalies';
import type { AnomalyKind } from '#schemas/topics/anomalies';
import { IS_OF_MARKETS, type LinkedMarket, marketParameters } from './linked-markets.ts';
import { type Query, query, type Reader } from './query.ts';
import { type RowOf, selectColumns } from './select-columns.ts';

/** The columns of an anomaly for a SELECT list. */
export const anomalyColumns = (alias: string) =>
  selectColumns(anomaliesTable, alias, [
    'id',
    'kind',
    'universalId',
    'provider',
    'marketId',
    'ts',
    'bucketVol',
    'baselineMean',
    'baselineStddev',
    'zScore',
    'raw',
  ]);
/** A row of the table, with exact decimals. */
export type AnomalyRow = RowOf<ReturnType<typeof anomalyColumns>>;

export interface AnomalyFilter {
  /** Only anomalies of these markets, whichever event they belonged to at the time; null means all. */
  readonly markets: readonly LinkedMarket[] | null;
  readonly kind: AnomalyKind | null;
  /** Unix ms, inclusive. */
  readonly since: number;
  readonly limit: number;
}

/** Time span of the anomaly history of an event (specification, Limits). */
export const ANOMALIES_WINDOW_MS = 7 * 86_400_000;

/** Maximum of markets per statement: parameters are sent in the URL, which the server limits to 1 MiB. */
const MARKETS_MAX = 2_500;

/** Reads the newest anomalies, newest first by time, then by id. */
export async function readAnomalies(store: Reader, filter: AnomalyFilter): Promise<AnomalyRow[]> {
  const { markets, limit } = filter;
  if (markets === null) return query(store, anomalies(filter));
  const found: AnomalyRow[] = [];
  for (let at = 0; at < markets.length; at += MARKETS_MAX) {
    found.push(...(await query(store, anomalies({ ...filter, markets: markets.slice(at, at + MARKETS_MAX) }))));
  }
  return found.sort(newestFirst).slice(0, limit);
}

/** The query of `readAnomalies` for at most 2,500 markets. */
export function anomalies({ markets, kind, since, limit }: AnomalyFilter): Query<AnomalyRow[]> {
  return {
    name: 'anomalies',
    sql: `SELECT ${anomalyColumns('a')}
     FROM anomalies AS a FINAL
     WHERE a.ts >= fromUnixTimestamp64Milli({since:Int64})
       ${markets === null ? '' : `AND ${IS_OF_MARKETS}`}
       ${kind === null ? '' : 'AND kind = {kind:String}'}
     ORDER BY a.ts DESC, id DESC
     LIMIT {limit:UInt32}`,
    parameters: {
      since,
      limit,
      ...(markets === null ? {} : marketParameters(markets)),
      ...(kind === null ? {} : { kind }),
    },
    parse: (rows: AnomalyRow[]) => rows,
  };
}

function newestFirst(a: AnomalyRow, b: AnomalyRow): number {
  return a.ts === b.ts ? (a.id < b.id ? 1 : -1) : b.ts - a.ts;
}
