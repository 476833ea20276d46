import { z } from 'zod';
import { attributionRows } from '#schemas/domain/control/rows';
import { type Decimal, toNumber } from '#schemas/domain/decimal';
import { ApiError } from '#schemas/errors';
import { booleanParameter, timeParameter } from '#schemas/http/parameters';
import { isoTime, isoTimeSchema } from '#schemas/http/scalars';
import { WALLET_PROVIDERS } from '#schemas/venues/accounts';
import { NO_ROI_NUMBERS, roiFields, roiNumbers } from '../../../accounts/wallet-roi.ts';
import { sortByFigure } from '../../../stats/figures.ts';
import { type AccountReturn, RETURN_FIGURES } from '../../../stats/read-returns.ts';
import { readStats, type StatsRow } from '../../../stats/read-stats.ts';
import { CustomResponse, defineCallerRoute } from '../../route.ts';
import { walletSelection } from './wallet-selection.ts';

const SORTS = [
  'realizedPnlUsd',
  'unrealizedPnlUsd',
  'accountValueUsd',
  'volumeUsd',
  'mwrPct',
  'twrPct',
  'simpleRoiPct',
  'netPnlUsd',
] as const;
type Sort = (typeof SORTS)[number];
const MODES = ['snapshot', 'live'] as const;
const CACHE = ['cache-control', 'private, max-age=15, stale-while-revalidate=30'];

const usd = (description: string) => z.number().nullable().describe(description);
const sums = {
  accountValueUsd: usd('What the accounts are worth, not windowed; null if it is not known.'),
  volumeUsd: usd('Price times quantity of the fills in the window; null while they are not known.'),
  realizedPnlUsd: usd("The venue's own figure for closed positions, gross of fees; null for venue_b."),
  unrealizedPnlUsd: usd('Of open positions, not windowed; null for venue_b.'),
  tradingFeeUsd: usd('Fees without those of builders; null for venue_b and with `platform=mine`.'),
  builderFeeUsd: usd('Fees of builders; null for venue_b.'),
};
type SummedFigure = keyof typeof sums;
const ofReturns = (field: z.ZodType<number | null>) =>
  field.describe(`${field.description} Only with \`roi=true\`.`).optional();
const rowSchema = z.object({
  walletId: z.string().describe('The binding (`groupBy=wallet`).').optional(),
  address: z.string().describe('Its address (`groupBy=wallet`).').optional(),
  provider: z.enum(WALLET_PROVIDERS).describe('The provider of the bindings.'),
  walletCount: z.number().int().describe('Bindings behind the row (`groupBy=provider`).').optional(),
  ...sums,
  tradeCount: z.number().int().nullable().describe('Fills in the window; null for venue_b.'),
  fillsThrough: isoTimeSchema.nullable().describe('Up to when all fills have arrived, the oldest; null before.'),
  accountValueAsOf: isoTimeSchema.nullable().describe('The time of the value, the oldest; null without one.'),
  mwrPct: ofReturns(roiFields.mwrPct),
  twrPct: ofReturns(roiFields.twrPct),
  simpleRoiPct: ofReturns(roiFields.simpleRoiPct),
  netPnlUsd: ofReturns(roiFields.netPnlUsd),
  netDepositsUsd: ofReturns(roiFields.netDepositsUsd),
  startNavUsd: ofReturns(roiFields.startNavUsd),
  endNavUsd: ofReturns(roiFields.endNavUsd),
  pnlCurve: z
    .array(
      z.object({
        t: z.number().int().describe('Unix seconds.'),
        pnl: z.number().describe('Profit since the start of the window, USD.'),
      }),
    )
    .nullable()
    .describe('At most 50 points from 0 at the start of the window to its end; null while the return is unavailable.')
    .optional(),
});

export const getStats = defineCallerRoute({
  method: 'GET',
  path: '/v1/me/stats',
  scope: 'read',
  sku: 'pnl.read',
  servesMarketData: true,
  summary: 'Competition stats of the bound wallets, by wallet or provider.',
  params: z.object({}),
  query: z.object({
    from: timeParameter.describe('unix ms or ISO-8601 of the venue, inclusive; all time by default').optional(),
    to: timeParameter.describe('unix ms or ISO-8601 of the venue, exclusive; now by default').optional(),
    groupBy: z.enum(['provider', 'wallet']).default('provider').describe('What a row is.'),
    mode: z
      .enum(MODES)
      .describe('`snapshot` (default): values of the newest hourly snapshot; `live`: of now.')
      .optional(),
    nav: z.enum(MODES).describe('Deprecated: as `mode`, which wins.').optional(),
    sort: z
      .enum(SORTS.flatMap((figure) => [figure, `-${figure}`] as const))
      .default('-realizedPnlUsd')
      .describe('A figure of the rows, descending with `-`; unknown ones last. Those of returns need `roi=true`.'),
    roi: booleanParameter.describe('`true`: the returns of the accounts over the window; needs `groupBy=wallet`.'),
    include: z
      .enum(['pnlCurve'])
      .describe('`pnlCurve`: the profit over the window; needs `roi=true` and `groupBy=wallet`.')
      .optional(),
    platform: z.enum(['all', 'mine']).default('all').describe('`mine`: only fills under registered builders.'),
    ...walletSelection,
  }),
  response: z.object({
    total: z.object(sums).describe('Of all rows; what several of them contain counts once.'),
    data: z.array(rowSchema).describe('One row for each binding or provider.'),
    window: z
      .object({
        from: isoTimeSchema.nullable().describe('Start, inclusive; null for all time.'),
        to: isoTimeSchema.describe('End, exclusive.'),
      })
      .describe('The period of the fills.'),
    applied: z
      .object({
        groupBy: z.enum(['provider', 'wallet']).describe('As requested.'),
        sort: z
          .object({
            field: z.enum(SORTS).describe('The figure.'),
            dir: z.enum(['asc', 'desc']).describe('The direction.'),
          })
          .describe('The order of the rows.'),
        platform: z.enum(['all', 'mine']).describe('As requested.'),
      })
      .describe('What the rows follow from.'),
  }),
  async handle({ query, caller, signal }, dependencies) {
    const { control, views } = dependencies;
    const now = caller.sandbox ? (views.events.now ?? Date.now()) : Date.now();
    const { from = null, to = null, groupBy, platform, roi } = query;
    const end = to ?? now;
    if (from !== null && from > end) throw new ApiError('validation_failed', 'from: must not be after to');
    const sort = {
      field: query.sort.replace('-', '') as Sort,
      dir: query.sort.startsWith('-') ? 'desc' : 'asc',
    } as const;
    checkReturns({ roi, groupBy, include: query.include, sort: sort.field });
    const builders = platform === 'mine' ? attributionRows(control.state, caller).map(({ builder }) => builder) : null;
    if (builders?.length === 0) throw new ApiError('no_platform_attribution', 'platform: no builder is registered');
    const { rows, totalOf } = await readStats(
      { ...query, from, to, builders, mode: query.mode ?? query.nav ?? 'snapshot' },
      { caller, now, signal },
      dependencies,
    );
    const body = {
      total: sumsOf(totalOf),
      data: sortByFigure(rows, FIGURES[sort.field], sort.dir === 'desc').map((row) =>
        toRecord(row, { groupBy, roi, pnlCurve: query.include !== undefined }),
      ),
      window: { from: from === null ? null : isoTime(from), to: isoTime(end) },
      applied: { groupBy, sort, platform },
    };
    return new CustomResponse(200, body, CACHE);
  },
});

/** Throws 400 for parameters of returns that need others. */
function checkReturns(requested: {
  readonly roi: boolean;
  readonly groupBy: 'provider' | 'wallet';
  readonly include: 'pnlCurve' | undefined;
  readonly sort: Sort;
}): void {
  const { roi, groupBy, include, sort } = requested;
  const refuse = (message: string) => new ApiError('validation_failed', message);
  if (roi && groupBy !== 'wallet') throw refuse('roi: needs groupBy=wallet');
  if (include && !roi) throw refuse('include: pnlCurve needs roi=true and groupBy=wallet');
  if (!roi && sort in RETURN_FIGURES) throw refuse(`sort: ${sort} needs roi=true`);
}

/** What rows can be sorted by. */
const FIGURES: Readonly<Record<Sort, (row: StatsRow) => Decimal | null>> = {
  realizedPnlUsd: (row) => row.realizedPnlUsd,
  unrealizedPnlUsd: (row) => row.unrealizedPnlUsd,
  accountValueUsd: (row) => row.accountValueUsd,
  volumeUsd: (row) => row.volumeUsd,
  mwrPct: ({ returns }) => returns && RETURN_FIGURES.mwrPct(returns.figures),
  twrPct: ({ returns }) => returns && RETURN_FIGURES.twrPct(returns.figures),
  simpleRoiPct: ({ returns }) => returns && RETURN_FIGURES.simpleRoiPct(returns.figures),
  netPnlUsd: ({ returns }) => returns && RETURN_FIGURES.netPnlUsd(returns.figures),
};

const numberOrNull = (value: Decimal | null) => (value === null ? null : toNumber(value));

function sumsOf(figureOf: (figure: SummedFigure) => Decimal | null) {
  const numberOf = (figure: SummedFigure) => numberOrNull(figureOf(figure));
  return {
    accountValueUsd: numberOf('accountValueUsd'),
    volumeUsd: numberOf('volumeUsd'),
    realizedPnlUsd: numberOf('realizedPnlUsd'),
    unrealizedPnlUsd: numberOf('unrealizedPnlUsd'),
    tradingFeeUsd: numberOf('tradingFeeUsd'),
    builderFeeUsd: numberOf('builderFeeUsd'),
  };
}

interface RowForm {
  readonly groupBy: 'provider' | 'wallet';
  readonly roi: boolean;
  readonly pnlCurve: boolean;
}

function toRecord(row: StatsRow, { groupBy, roi, pnlCurve }: RowForm): z.infer<typeof rowSchema> {
  const [first] = row.wallets;
  const { id: walletId, address, provider } = first!;
  const { returns } = row;
  return {
    ...(groupBy === 'wallet' ? { walletId, address } : { walletCount: row.wallets.length }),
    provider,
    ...sumsOf((figure) => row[figure]),
    tradeCount: row.tradeCount,
    fillsThrough: row.fillsThrough === null ? null : isoTime(row.fillsThrough),
    accountValueAsOf: row.accountValueAsOf === null ? null : isoTime(row.accountValueAsOf),
    ...(roi ? (returns ? roiNumbers(returns.figures) : NO_ROI_NUMBERS) : {}),
    ...(pnlCurve ? { pnlCurve: curveRecord(returns) } : {}),
  };
}

const curveRecord = (returns: AccountReturn | null) =>
  returns === null ? null : returns.curve.map(({ t, pnl }) => ({ t, pnl: toNumber(pnl) }));
