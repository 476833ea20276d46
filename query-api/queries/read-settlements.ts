import { yesIndexOf } from '#schemas/domain/linked-markets';
import { marketKey } from '#schemas/domain/providers';
import { type SettlementRecord, toSettlementRecord } from '#schemas/http/settlement';
import { marketsTable } from '#schemas/tables/markets';
import { resolutionsTable } from '#schemas/tables/resolutions';
import type { EventLink } from '#schemas/topics/derived';
import type { Market } from '#schemas/topics/normalised';
import { IS_OF_MARKETS, marketParameters } from './linked-markets.ts';
import { type Query, query, type Reader } from './query.ts';
import { type RowOf, selectColumns } from './select-columns.ts';

/** The topics behind the rows. */
export const SETTLEMENT_TOPICS = [...resolutionsTable.fromTopics, ...marketsTable.fromTopics];

const COLUMNS = selectColumns(resolutionsTable, 'r');
/** A resolution with the names of the market's outcomes. */
type Row = RowOf<typeof COLUMNS> & Pick<Market, 'outcomes'>;

/**
 * The query for the settlement of linked markets, in the event's terms: the newest resolution of each market that is
 * not reverted, in order of resolution. A market whose outcome names are not in the table is left out, since it is then
 * unknown which outcome is YES.
 */
export function settlements(links: readonly EventLink[]): Query<SettlementRecord[]> {
  return {
    name: 'settlements',
    sql: `SELECT ${COLUMNS}, outcomes
     FROM (SELECT * FROM resolutions FINAL WHERE ${IS_OF_MARKETS} AND status != 'reverted') AS r
     INNER JOIN (
       SELECT provider, marketId, outcomes FROM markets FINAL WHERE ${IS_OF_MARKETS} AND removed = 0
     ) AS m USING (provider, marketId)
     ORDER BY r.resolvedAt, r.blockNumber, r.logIndex, provider, marketId`,
    parameters: marketParameters(links),
    parse: (rows: Row[]) => newestOfEach(rows, links),
  };
}

export function readSettlements(store: Reader, links: readonly EventLink[]): Promise<SettlementRecord[]> {
  return query(store, settlements(links));
}

/** @param rows oldest first. */
function newestOfEach(rows: readonly Row[], links: readonly EventLink[]): SettlementRecord[] {
  const newest = new Map<string, Row>();
  for (const row of rows) {
    const key = marketKey(row.provider, row.marketId);
    newest.delete(key);
    newest.set(key, row);
  }
  const linkOf = new Map(links.map((link) => [marketKey(link.provider, link.providerMarketId), link]));
  return [...newest].flatMap(([key, { outcomes, ...resolution }]) => {
    const { polarity, used } = linkOf.get(key)!;
    const side = { yesIndex: yesIndexOf(outcomes), inverse: polarity === 'inverse' };
    return toSettlementRecord(resolution, side, used) ?? [];
  });
}
