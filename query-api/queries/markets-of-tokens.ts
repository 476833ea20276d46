import { yesIndexOf } from '#schemas/domain/linked-markets';
import { marketsTable } from '#schemas/tables/markets';
import type { ProviderFamily } from '#schemas/venues/accounts';
import { query, type Reader } from './query.ts';
import { type RowOf, selectColumns } from './select-columns.ts';

const COLUMNS = selectColumns(marketsTable, 'm', ['provider', 'marketId', 'instruments', 'outcomes']);
type Row = RowOf<typeof COLUMNS>;

/** Maximum of tokens per statement: they are sent in its URL. */
const TOKENS_MAX = 2_000;

/** A token of a market of the catalog. */
export interface OutcomeToken {
  readonly provider: string;
  readonly marketId: string;
  /** Its place among the outcomes of the market; 0 is YES or the first name. */
  readonly index: number;
  /** The place of YES. */
  readonly yesIndex: number;
  readonly outcome: string;
}

/** Finds tokens in the catalog of a venue. With a market id, which is faster, only that market counts. */
export async function marketsOfTokens(
  store: Reader,
  venue: ProviderFamily,
  tokens: readonly string[],
  marketId?: string,
): Promise<ReadonlyMap<string, OutcomeToken>> {
  const found = new Map<string, OutcomeToken>();
  for (let at = 0; at < tokens.length; at += TOKENS_MAX) {
    const part = tokens.slice(at, at + TOKENS_MAX);
    const rows = await query(store, {
      name: 'markets-of-tokens',
      sql: `SELECT ${COLUMNS}
       FROM markets AS m FINAL
       WHERE venue = {venue:String} ${marketId === undefined ? '' : 'AND marketId = {marketId:String}'}
         AND hasAny(instruments, {tokens:Array(String)})`,
      parameters: { venue, tokens: part, ...(marketId === undefined ? {} : { marketId }) },
      parse: (read: Row[]) => read,
    });
    for (const { provider, marketId: id, instruments, outcomes } of rows) {
      const yesIndex = yesIndexOf(outcomes);
      for (const [index, instrument] of instruments.entries())
        found.set(instrument, { provider, marketId: id, index, yesIndex, outcome: outcomes[index]! });
    }
  }
  return found;
}
