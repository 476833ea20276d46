import type { Store } from '#infra/store/store';
import { unixMs } from '#infra/store/unix-ms';
import type { Anomaly, AnomalyKind } from '#schemas/topics/anomalies';
import { IS_OF_MARKETS, type LinkedMarket, marketParameters } from './linked-markets.ts';
import { type Reading, readOne } from './reading.ts';

/** A detection as the table has it, exact. */
export type AnomalyRow = Omit<Anomaly, 'receivedAt' | 'value'>;

export interface AnomalyFilter {
  /** Detections on these markets alone, whatever event they were in then; null is all. */
  readonly markets: readonly LinkedMarket[] | null;
  readonly kind: AnomalyKind | null;
  /** Unix ms, inclusive. */
  readonly since: number;
  readonly limit: number;
}

/** How far back the history of an event goes (specification, Limits). */
export const ANOMALIES_WINDOW_MS = 7 * 86_400_000;

/** Markets in one statement: it is sent as a URL, which a server takes up to 1 MiB of. */
const MARKETS_MAX = 2_500;

/** The newest detections, newest first by time, then by id. */
export async function readAnomalies(store: Pick<Store, 'query'>, filter: AnomalyFilter): Promise<AnomalyRow[]> {
  const { markets, limit } = filter;
  if (markets === null) return readOne(store, anomalies(filter));
  const found: AnomalyRow[] = [];
  for (let at = 0; at < markets.length; at += MARKETS_MAX) {
    found.push(...(await readOne(store, anomalies({ ...filter, markets: markets.slice(at, at + MARKETS_MAX) }))));
  }
  return found.sort(newestFirst).slice(0, limit);
}

/** The same of at most 2,500 markets. */
export function anomalies({ markets, kind, since, limit }: AnomalyFilter): Reading<AnomalyRow[]> {
  return {
    sql: `SELECT id, kind, universalId, provider, marketId, ${unixMs('a.ts')} AS ts, bucketVol, baselineMean,
       baselineStddev, zScore, raw
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
    from: (rows: AnomalyRow[]) => rows,
  };
}

function newestFirst(a: AnomalyRow, b: AnomalyRow): number {
  return a.ts === b.ts ? (a.id < b.id ? 1 : -1) : b.ts - a.ts;
}
