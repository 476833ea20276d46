import { z } from 'zod';
import { dayParameter } from '#schemas/http/parameters';
import { decimalNumber, decimalNumberOrNull } from '#schemas/http/scalars';
import { dailyRowsTable } from '#schemas/tables/daily-rows';
import { DAILY_SOURCES, dailyRowTopic, MARKET_TYPES } from '#schemas/topics/daily';
import { type DailyRow, readDailyRows } from '../../../../queries/read-daily-rows.ts';
import { tablesUntil } from '../../../../views/freshness.ts';
import { fetchedAtHeader, fetchedAtOf } from '../../../fetched-at.ts';
import { CustomResponse, defineRoute } from '../../../route.ts';

const row = z.object({
  tradeDate: z.iso.date().describe('The UTC day.'),
  marketType: z.enum(MARKET_TYPES).describe('What is traded.'),
  symbol: z.string().describe('The market: BTC, xyz:TSLA on a builder dex, HYPE-USDC for a pair.'),
  open: z.number().describe('First price; of a pair the mark price at 00:00 UTC.'),
  high: z.number().describe('Highest price.'),
  low: z.number().describe('Lowest price.'),
  close: z.number().describe('Last price; of a pair the mark price at 23:00 UTC.'),
  volume: z.number().nullable().describe('Base volume; null if unknown.'),
  amount: z
    .number()
    .nullable()
    .describe('Quote turnover, USD: of a perp the sum of close × volume of its 5-minute bars; null if unknown.'),
  marketCap: z
    .number()
    .nullable()
    .describe('Last mark price × circulating supply of a pair; null for a perp, or if unknown.'),
  source: z.enum(DAILY_SOURCES).describe('5-minute bars, or hourly samples of the mark price.'),
  complete: z.boolean().describe('False if trades may be missing in a 5-minute bucket of the day.'),
});

export const getDaily = defineRoute({
  method: 'GET',
  path: '/v1/markets/venue_a/daily',
  scope: 'read',
  sku: 'markets.read',
  cacheTtlMs: 60_000,
  summary: 'One row per market of a complete UTC day.',
  ownHeaders: fetchedAtHeader(
    'The time up to which everything behind the rows is processed: rows of later repairs are missing.',
  ),
  params: z.object({}),
  query: z.object({
    date: dayParameter.describe('The UTC day, YYYYMMDD or YYYY-MM-DD.'),
    market: z.enum(MARKET_TYPES).describe('Only markets of this type; left out for both.').optional(),
  }),
  response: z.object({
    date: z.iso.date().describe('The requested day.'),
    market: z.enum(MARKET_TYPES).nullable().describe('The requested type; null for both.'),
    count: z.number().int().describe('Number of rows.'),
    snapshots: z
      .array(row)
      .describe('Sorted by type, then by symbol; empty for a day that is unknown or has not ended.'),
  }),
  async handle({ query: { date, market = null } }, { store, views: { freshness } }) {
    const at = await tablesUntil(freshness, dailyRowTopic, dailyRowsTable.fromTopics, null);
    const rows = await readDailyRows(store, date, market);
    const body = { date, market, count: rows.length, snapshots: rows.map(toRow) };
    return new CustomResponse(200, body, fetchedAtOf(at));
  },
});

function toRow({ open, high, low, close, volume, amount, marketCap, ...rest }: DailyRow): z.infer<typeof row> {
  return {
    ...rest,
    open: decimalNumber(open),
    high: decimalNumber(high),
    low: decimalNumber(low),
    close: decimalNumber(close),
    volume: decimalNumberOrNull(volume),
    amount: decimalNumberOrNull(amount),
    marketCap: decimalNumberOrNull(marketCap),
  };
}
