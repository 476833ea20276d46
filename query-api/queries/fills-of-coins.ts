/** Fills of venue_a: the venue states each completely. */
import { accountFillsTable } from '#schemas/tables/account-fills';
import { isOutcomeCoin } from '#schemas/venues/venue-a/outcome-coin';
import { conditionsOf, type FillRange, type Placed } from './fill-places.ts';
import { inParts, isOfLedgers } from './ledger-rows.ts';
import { marketsOfTokens } from './markets-of-tokens.ts';
import { query, type Reader } from './query.ts';
import { type RowOf, selectColumns } from './select-columns.ts';

const COLUMNS = selectColumns(accountFillsTable, 'l', [
  'account',
  'id',
  'provider',
  'coin',
  'time',
  'side',
  'role',
  'price',
  'qty',
  'dir',
  'closedPnl',
  'hash',
  'tid',
  'fee',
  'feeToken',
  'builderFee',
  'builder',
  'liquidatedUser',
  'liquidationMark',
  'liquidationMethod',
]);
type Row = RowOf<typeof COLUMNS>;

/** A fill of an account, with the name of its outcome. */
export interface CoinFill extends Row, Placed {
  readonly outcome: string | null;
}

/** Reads the fills of a range, newest first, without the names of outcomes. */
export async function readCoinFills(store: Reader, range: FillRange): Promise<CoinFill[]> {
  const { conditions, parameters } = conditionsOf(range, 'l.time', '0');
  const rows: Row[] = [];
  for (const ledgers of inParts(range.ledgers)) {
    const own = isOfLedgers(ledgers, 'l.provider');
    rows.push(
      ...(await query(store, {
        name: 'fills-of-coins',
        sql: `SELECT ${COLUMNS}
         FROM account_fills AS l FINAL
         WHERE ${[own.sql, ...conditions].join(' AND ')}
         ORDER BY l.time DESC, l.account DESC, l.id DESC
         LIMIT {limit:UInt32}`,
        parameters: { ...own.parameters, ...parameters, limit: range.limit },
        parse: (found: Row[]) => found,
      })),
    );
  }
  return rows.map((row) => ({ ...row, ts: row.time, index: 0, outcome: null }));
}

/** Adds the names of outcomes that the catalog knows. */
export async function withOutcomes(store: Reader, fills: readonly CoinFill[]): Promise<CoinFill[]> {
  const coins = new Set(fills.map(({ coin }) => coin).filter(isOutcomeCoin));
  const tokens = await marketsOfTokens(store, 'venue_a', [...coins]);
  return fills.map((fill) => ({ ...fill, outcome: tokens.get(fill.coin)?.outcome ?? null }));
}
