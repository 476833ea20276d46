import { dailyRowsTable } from '#schemas/tables/daily-rows';
import type { MarketType } from '#schemas/topics/daily';
import { query, type Reader } from './query.ts';
import { type RowOf, selectColumns } from './select-columns.ts';

const COLUMNS = selectColumns(dailyRowsTable, 'd', [
  'tradeDate',
  'marketType',
  'symbol',
  'open',
  'high',
  'low',
  'close',
  'volume',
  'amount',
  'marketCap',
  'complete',
  'source',
]);
/** A row of the table, with exact decimals. */
export type DailyRow = RowOf<typeof COLUMNS>;

/**
 * Reads the rows of a day, sorted by type, then by symbol in code units.
 * @param day YYYY-MM-DD.
 * @param marketType null means all.
 */
export function readDailyRows(store: Reader, day: string, marketType: MarketType | null): Promise<DailyRow[]> {
  return query(store, {
    name: 'daily-rows',
    sql: `SELECT ${COLUMNS} FROM daily_rows AS d FINAL
     WHERE d.tradeDate = {day:String} AND d.parts > 0 ${marketType === null ? '' : 'AND d.marketType = {type:String}'}`,
    parameters: { day, ...(marketType === null ? {} : { type: marketType }) },
    // The store sorts text by bytes, which is another order for some names.
    parse: (rows: DailyRow[]) =>
      rows.sort((a, b) => compare(a.marketType, b.marketType) || compare(a.symbol, b.symbol)),
  });
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
