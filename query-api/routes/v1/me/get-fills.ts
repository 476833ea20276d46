import { z } from 'zod';
import { ownerName } from '#schemas/domain/control/owner';
import { ApiError } from '#schemas/errors';
import { fillSchema, toCoinFillRecord, toFillRecord } from '#schemas/http/fill';
import { paginationSchema, toPagination } from '#schemas/http/pagination';
import { clampedInteger, cursorParameter, timeParameter } from '#schemas/http/parameters';
import { cursorScope } from '../../../queries/cursor-scope.ts';
import { readFills } from '../../../queries/read-fills.ts';
import { ledgersOf, selectWalletsOf, walletFor } from '../../../queries/select-wallets.ts';
import { defineCallerRoute } from '../../route.ts';
import { walletSelection } from './wallet-selection.ts';

export const getFills = defineCallerRoute({
  method: 'GET',
  path: '/v1/me/fills',
  scope: 'read',
  sku: 'api.request',
  servesMarketData: true,
  summary: 'Fills of the bound wallets, newest first: the trades that their ledgers contain, as each wallet sees them.',
  params: z.object({}),
  query: z.object({
    limit: clampedInteger({ min: 1, max: 500, fallback: 100 }),
    cursor: cursorParameter.optional(),
    ...walletSelection,
    since: timeParameter.describe("unix ms or ISO-8601 of the venue's time, inclusive").optional(),
    until: timeParameter.describe("unix ms or ISO-8601 of the venue's time, exclusive").optional(),
  }),
  response: z.object({
    fills: z.array(fillSchema).describe('Newest first by `ts`; reverted ones included.'),
    pagination: paginationSchema,
  }),
  async handle({ query, caller }, { control, views, store }) {
    const { limit, cursor = null, since = null, until = null, provider } = query;
    if (since !== null && until !== null && since > until)
      throw new ApiError('validation_failed', 'since: must not be after until');
    const ledgers = ledgersOf(views.ledgers, selectWalletsOf(control.state, caller, query), provider);
    const scope = cursorScope([ownerName(caller), query.walletId, query.walletAddress, provider, since, until]);
    const { fills, nextCursor } = await readFills(store, { ledgers, since, until, limit, cursor, scope });
    const byAccount = new Map(ledgers.map((ledger) => [ledger.account, ledger]));
    return {
      fills: fills.map((fill) => {
        const { id } = walletFor(byAccount.get(fill.account)!, fill.provider);
        return 'trade' in fill ? toFillRecord(id, fill.own, fill.ownOutcome, fill.trade) : toCoinFillRecord(id, fill);
      }),
      pagination: toPagination(nextCursor),
    };
  },
});
