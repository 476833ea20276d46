import { query, type Reader } from './query.ts';

/** Units of one SKU on one UTC day, over all nodes. */
export interface UsageRow {
  /** `YYYY-MM-DD`. */
  readonly day: string;
  readonly sku: string;
  readonly units: number;
}

/** Reads the usage of an organization from one UTC day to another, both inclusive, unix ms. Sorted by day, then SKU. */
export function readUsage(store: Reader, orgId: string, from: number, to: number): Promise<UsageRow[]> {
  return query(store, {
    name: 'usage',
    sql: `SELECT toString(toDate(u.day)) AS day, sku, toFloat64(sum(u.units)) AS units
     FROM usage AS u FINAL
     WHERE orgId = {orgId:String}
       AND u.day >= fromUnixTimestamp64Milli({from:Int64}) AND u.day <= fromUnixTimestamp64Milli({to:Int64})
     GROUP BY day, sku
     HAVING sum(u.units) > 0
     ORDER BY day, sku`,
    parameters: { orgId, from, to },
    parse: (rows: UsageRow[]) => rows,
  });
}
