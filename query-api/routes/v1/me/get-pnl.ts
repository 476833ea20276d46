import { z } from 'zod';
import { ownerName } from '#schemas/domain/control/owner';
import { attributionRows } from '#schemas/domain/control/rows';
import { ApiError } from '#schemas/errors';
import { paginationSchema, toPagination } from '#schemas/http/pagination';
import { clampedInteger, cursorParameter, timeParameter } from '#schemas/http/parameters';
import {
  builderRowSchema,
  eventRowSchema,
  pnlTotalSchema,
  providerRowSchema,
  walletRowSchema,
} from '#schemas/http/pnl';
import { isoTime, isoTimeSchema } from '#schemas/http/scalars';
import { cursorOf, PnlPages, pageOf } from '../../../pnl/pnl-pages.ts';
import { GROUPS, type ReadRows, readRows } from '../../../pnl/read-rows.ts';
import { SORT_FIGURES } from '../../../pnl/rows.ts';
import { cursorScope } from '../../../queries/cursor-scope.ts';
import { selectWalletsOf } from '../../../queries/select-wallets.ts';
import type { Views } from '../../../views/views.ts';
import { defineCallerRoute } from '../../route.ts';
import { walletSelection } from './wallet-selection.ts';

const SORTS = SORT_FIGURES.flatMap((figure) => [figure, `-${figure}`] as const);

const alias = (group: string) => `Deprecated: the rows, with \`groupBy=${group}\`.`;

export const getPnl = defineCallerRoute({
  method: 'GET',
  path: '/v1/me/pnl',
  scope: 'read',
  sku: 'api.request',
  servesMarketData: true,
  summary: 'What the bound wallets realized and hold, by event, wallet, provider or builder.',
  params: z.object({}),
  query: z.object({
    groupBy: z.enum(GROUPS).default('event').describe('What a row is; not `provider` together with `provider`.'),
    platform: z.enum(['all', 'mine']).default('all').describe('`mine`: only books of builders that are registered.'),
    ...walletSelection,
    since: timeParameter.describe('unix ms or ISO-8601 at which an event reached the ledger, inclusive').optional(),
    until: timeParameter.describe('unix ms or ISO-8601 at which an event reached the ledger, exclusive').optional(),
    sort: z.enum(SORTS).default('-realized').describe('A figure of the rows, descending with `-`; unknown ones last.'),
    limit: clampedInteger({ min: 1, max: 500, fallback: 100 }),
    cursor: cursorParameter.optional(),
  }),
  response: z.object({
    total: pnlTotalSchema.describe('Of all rows of all pages.'),
    data: z
      .array(z.union([eventRowSchema, walletRowSchema, providerRowSchema, builderRowSchema]))
      .describe('Rows of the kind that `groupBy` selects.'),
    byEvent: z.array(eventRowSchema).describe(alias('event')).optional(),
    byWallet: z.array(walletRowSchema).describe(alias('wallet')).optional(),
    byProvider: z.array(providerRowSchema).describe(alias('provider')).optional(),
    pagination: paginationSchema,
    applied: z
      .object({
        walletIds: z.array(z.string()).describe('The selected wallets.'),
        provider: z.string().nullable().describe('As requested; null for all.'),
        groupBy: z.enum(GROUPS).describe('As requested.'),
        sort: z.enum(SORTS).describe('As requested.'),
        platform: z.enum(['all', 'mine']).describe('As requested.'),
        since: isoTimeSchema.nullable().describe('Start of the window; null without one.'),
        until: isoTimeSchema.nullable().describe('End of the window; null without one.'),
      })
      .describe('What the rows follow from.'),
  }),
  async handle({ query, caller }, { control, views, store }) {
    const { groupBy, platform, provider, sort, limit, cursor = null, since = null, until = null } = query;
    if (groupBy === 'provider' && provider !== undefined)
      throw new ApiError('validation_failed', 'provider: cannot be combined with groupBy=provider');
    if (since !== null && until !== null && since > until)
      throw new ApiError('validation_failed', 'since: must not be after until');
    const wallets = selectWalletsOf(control.state, caller, query);
    const attributions = attributionRows(control.state, caller);
    if (platform === 'mine' && attributions.length === 0)
      throw new ApiError('no_platform_attribution', 'platform: no builder is registered');
    const { walletId, walletAddress } = query;
    const scope = cursorScope([
      ownerName(caller),
      groupBy,
      platform,
      provider,
      walletId,
      walletAddress,
      since,
      until,
      sort,
    ]);
    const page = cursor === null ? null : pageOf(cursor, scope, Date.now());
    const pages = pagesOf(views);
    const read = (asOf: number | null) =>
      readRows({ query, caller, wallets, attributions, asOf }, { control, views, store });
    const result = page ? await pages.find(scope, page, read) : await read(null);
    const offset = page?.offset ?? 0;
    const data = result.rows.slice(offset, offset + limit);
    const hasMore = offset + limit < result.rows.length;
    const next = {
      asOf: page?.asOf ?? result.newest,
      digest: result.digest,
      issuedAt: page?.issuedAt ?? Date.now(),
      offset: offset + limit,
    };
    if (hasMore && !page) pages.keep(scope, next.issuedAt, result);
    return {
      total: result.total,
      data,
      ...(groupBy === 'builder' ? {} : { [ALIASES[groupBy]]: data }),
      pagination: toPagination(hasMore ? cursorOf(next, scope) : null),
      applied: {
        walletIds: [...result.walletIds],
        provider: provider ?? null,
        groupBy,
        sort,
        platform,
        since: since === null ? null : isoTime(since),
        until: until === null ? null : isoTime(until),
      },
    };
  },
});

const ALIASES = { event: 'byEvent', wallet: 'byWallet', provider: 'byProvider' } as const;

/** The sandbox has views of its own. */
const pagesByViews = new WeakMap<Views, PnlPages<ReadRows>>();

function pagesOf(views: Views): PnlPages<ReadRows> {
  const pages = pagesByViews.get(views) ?? new PnlPages<ReadRows>();
  pagesByViews.set(views, pages);
  return pages;
}
