import { z } from 'zod';
import { addressSchema } from '#schemas/domain/control/fields';
import { clampedInteger } from '#schemas/http/parameters';
import { decimalNumberOrNull, isoTime, isoTimeSchema } from '#schemas/http/scalars';
import { LEADERBOARD_WINDOWS } from '#schemas/topics/leaderboard';
import { LEADERBOARD_FIGURES } from '../../../../queries/board-copy.ts';
import { type RankedRow, readLeaderboardPage, readLeaderboardTrader } from '../../../../queries/read-leaderboard.ts';
import { defineRoute } from '../../../route.ts';

const row = z.object({
  rank: z.number().int().describe('Position in descending order of `sortBy`, from 1; ties go to the lower address.'),
  ethAddress: z.string().describe('Address of the account, lower case.'),
  displayName: z.string().nullable().describe('The name that the trader chose; null without one.'),
  accountValue: z.number().nullable().describe('Value of the account, USD; null if unknown.'),
  pnl: z.number().nullable().describe('USD gained or lost in the window; null if unknown.'),
  roi: z.number().nullable().describe('Gain in the window as a fraction (0.1 is 10 percent); null if unknown.'),
  vlm: z.number().nullable().describe('USD traded in the window; null if unknown.'),
});

const head = {
  window: z.enum(LEADERBOARD_WINDOWS).describe('The requested window.'),
  sortBy: z.enum(LEADERBOARD_FIGURES).describe('The requested figure.'),
  order: z.enum(['desc', 'asc']).describe('The requested order.'),
  capturedAt: isoTimeSchema.nullable().describe('When the board was captured; null before the first one.'),
};

const page = z.object({
  ...head,
  total: z.number().int().describe('Rows on the board.'),
  count: z.number().int().describe('Rows on this page.'),
  limit: z.number().int().describe('Largest number of rows of a page.'),
  offset: z.number().int().describe('Rows of the listing before this page.'),
  rows: z.array(row).describe('In the requested order; rows without the figure come last in either order.'),
});

const single = z.object({
  ...head,
  trader: row.nullable().describe('The row of the requested address; null if it is not on the board.'),
});

export const getLeaderboard = defineRoute({
  method: 'GET',
  path: '/v1/markets/venue_a/leaderboard',
  scope: 'read',
  sku: 'markets.read',
  cacheTtlMs: 10_000,
  summary: 'The leaderboard of the network, or the rank of one trader on it.',
  params: z.object({}),
  query: z.object({
    window: z
      .enum(LEADERBOARD_WINDOWS)
      .default('day')
      .describe('Trailing period that ends at `capturedAt`; default `day`.'),
    sortBy: z.enum(LEADERBOARD_FIGURES).default('pnl').describe('The figure that ranks; default `pnl`.'),
    order: z
      .enum(['desc', 'asc'])
      .default('desc')
      .describe('Order of the listing; it does not change the ranks. Default `desc`.'),
    limit: clampedInteger({ min: 1, max: 500, fallback: 100 }),
    offset: clampedInteger({ min: 0, max: 1_000_000, fallback: 0 }),
    address: addressSchema
      .transform((text) => text.toLowerCase())
      .describe('Returns the row of this trader instead of a page.')
      .optional(),
  }),
  response: z.union([page, single]),
  async handle({ query }, { views, store }) {
    const { window, sortBy, order, limit, offset, address } = query;
    const ranking = { window, sortBy };
    if (address !== undefined) {
      const found = await readLeaderboardTrader(store, views.leaderboards, ranking, address);
      const trader = found?.row ? toRow(found.row) : null;
      return { ...ranking, order, capturedAt: found ? isoTime(found.board.capturedAt) : null, trader };
    }
    const found = await readLeaderboardPage(store, views.leaderboards, { ...ranking, order, limit, offset });
    const rows = found?.rows.map(toRow) ?? [];
    return {
      ...ranking,
      order,
      capturedAt: found ? isoTime(found.board.capturedAt) : null,
      total: found?.board.rows ?? 0,
      count: rows.length,
      limit,
      offset,
      rows,
    };
  },
});

function toRow({ rank, address, displayName, accountValue, pnl, roi, vlm }: RankedRow): z.infer<typeof row> {
  return {
    rank,
    ethAddress: address,
    displayName,
    accountValue: decimalNumberOrNull(accountValue),
    pnl: decimalNumberOrNull(pnl),
    roi: decimalNumberOrNull(roi),
    vlm: decimalNumberOrNull(vlm),
  };
}
