import type { Store } from '#infra/store/store';

/** Units of one SKU on one UTC day, over all nodes. */
export interface UsageRow {
  /** `YYYY-MM-DD`. */
  readonly day: string;
  readonly sku: string;
  readonly units: number;
}

/** Reads the usage of an organization from one UTC day to another, both inclusive, unix ms. Sorted by day, then SKU. */
export async function readUsage(
  store: Pick<Store, 'query'>,
  orgId: string,
  from: number,
  to: number,
): Promise<UsageRow[]> {
  const rows = await store.query<{ day: string; sku: string; units: string }>(
    `SELECT toString(toDate(u.day)) AS day, sku, toString(sum(units)) AS units
     FROM usage AS u FINAL
     WHERE orgId = {orgId:String}
       AND u.day >= fromUnixTimestamp64Milli({from:Int64}) AND u.day <= fromUnixTimestamp64Milli({to:Int64})
     GROUP BY day, sku
     HAVING sum(u.units) > 0
     ORDER BY day, sku`,
    { orgId, from, to },
  );
  return rows.map(({ day, sku, units }) => ({ day, sku, units: Number(units) }));
}
