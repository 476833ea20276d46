import type { Store } from '#infra/store/store';
import { unixMs } from '#infra/store/unix-ms';
import { yesIndexOf } from '#schemas/domain/linked-markets';
import { marketKey } from '#schemas/domain/providers';
import { type SettlementRecord, toSettlementRecord } from '#schemas/http/settlement';
import type { EventLink } from '#schemas/topics/derived';
import type { Resolution } from '#schemas/topics/oracle';
import { IS_OF_MARKETS, marketParameters } from './linked-markets.ts';
import { type Query, query } from './query.ts';

/** The store returns 64-bit integers as text. */
type Row = Omit<Resolution, 'logIndex' | 'blockNumber'> & {
  readonly logIndex: string | null;
  readonly blockNumber: string | null;
  /** Names of the market's outcomes. */
  readonly outcomes: readonly string[];
};

/**
 * The query for the settlement of linked markets, in the event's terms: the newest resolution of each market that is
 * not reverted, in order of resolution. A market whose outcome names are not in the table is left out, since it is then
 * unknown which outcome is YES.
 */
export function settlements(links: readonly EventLink[]): Query<SettlementRecord[]> {
  return {
    sql: `SELECT id, provider, marketId, payouts, ${unixMs('r.resolvedAt')} AS resolvedAt,
       ${unixMs('r.decidedAfter')} AS decidedAfter, ${unixMs('r.receivedAt')} AS receivedAt,
       ${unixMs('r.endTime')} AS endTime, txHash, logIndex, blockNumber, blockHash, status, outcomes
     FROM (SELECT * FROM resolutions FINAL WHERE ${IS_OF_MARKETS} AND status != 'reverted') AS r
     INNER JOIN (
       SELECT provider, marketId, outcomes FROM markets FINAL WHERE ${IS_OF_MARKETS} AND removed = 0
     ) AS m USING (provider, marketId)
     ORDER BY r.resolvedAt, r.blockNumber, r.logIndex, provider, marketId`,
    parameters: marketParameters(links),
    parse: (rows: Row[]) => newestOfEach(rows, links),
  };
}

export function readSettlements(store: Pick<Store, 'query'>, links: readonly EventLink[]): Promise<SettlementRecord[]> {
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
  return [...newest].flatMap(([key, { outcomes, logIndex, blockNumber, ...row }]) => {
    const resolution: Resolution = {
      ...row,
      logIndex: logIndex === null ? null : Number(logIndex),
      blockNumber: blockNumber === null ? null : Number(blockNumber),
    };
    const { polarity, used } = linkOf.get(key)!;
    const side = { yesIndex: yesIndexOf(outcomes), inverse: polarity === 'inverse' };
    return toSettlementRecord(resolution, side, used) ?? [];
  });
}
