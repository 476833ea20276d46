/** What the tokens of resolved markets pay: lots that are opened after a settlement stay open. */
import { type Decimal, parseDecimal } from '#schemas/domain/decimal';
import { marketKey } from '#schemas/domain/providers';
import { resolutionsTable } from '#schemas/tables/resolutions';
import { IS_OF_MARKETS, marketParameters } from './linked-markets.ts';
import type { OutcomeToken } from './markets-of-tokens.ts';
import { query, type Reader } from './query.ts';
import { type RowOf, selectColumns } from './select-columns.ts';

const COLUMNS = selectColumns(resolutionsTable, 'r', ['provider', 'marketId', 'payouts']);

/** Maximum of markets per statement: they are sent in its URL. */
const MARKETS_MAX = 500;

/** Returns the payout of each token whose market has a resolution that is not reverted, USD; the newest one counts. */
export async function readPayouts(
  store: Reader,
  tokens: ReadonlyMap<string, OutcomeToken>,
): Promise<ReadonlyMap<string, Decimal>> {
  const markets = [
    ...new Map(
      [...tokens.values()].map(({ provider, marketId }) => [
        marketKey(provider, marketId),
        { provider, providerMarketId: marketId },
      ]),
    ).values(),
  ];
  const payouts = new Map<string, readonly string[]>();
  for (let at = 0; at < markets.length; at += MARKETS_MAX) {
    const rows = await query(store, {
      name: 'payouts',
      sql: `SELECT ${COLUMNS}
       FROM (SELECT * FROM resolutions FINAL WHERE ${IS_OF_MARKETS} AND status != 'reverted') AS r
       ORDER BY r.resolvedAt DESC, r.blockNumber DESC, r.logIndex DESC
       LIMIT 1 BY provider, marketId`,
      parameters: marketParameters(markets.slice(at, at + MARKETS_MAX)),
      parse: (read: RowOf<typeof COLUMNS>[]) => read,
    });
    for (const { provider, marketId, payouts: paid } of rows) payouts.set(marketKey(provider, marketId), paid);
  }
  return new Map(
    [...tokens].flatMap(([instrument, { provider, marketId, index }]): [string, Decimal][] => {
      const paid = payouts.get(marketKey(provider, marketId))?.[index];
      return paid === undefined ? [] : [[instrument, parseDecimal(paid)]];
    }),
  );
}
