import { z } from 'zod';
import { WINDOWS } from '#schemas/domain/returns/series';
import { accountsOf, oneProviderParameters } from '../../../accounts/address-parameters.ts';
import { isBound, readPerformance, seriesSource } from '../../../accounts/performance.ts';
import { batchedPnl, pnlViewSchema, singlePnl } from '../../../accounts/pnl-view.ts';
import { defineCallerRoute } from '../../route.ts';
import { deprecatedResponse, deprecationHeaders } from './deprecated.ts';
import { windowsParameter } from './performance/windows-parameter.ts';

export const getPortfolioPnl = defineCallerRoute({
  method: 'GET',
  path: '/v1/portfolio/pnl',
  scope: 'read',
  sku: 'portfolio.read',
  servesMarketData: true,
  ownHeaders: deprecationHeaders,
  summary: 'Deprecated: the profit of accounts over time; use the performance of a portfolio.',
  params: z.object({}),
  query: z.object({
    ...oneProviderParameters,
    window: z.enum(WINDOWS).default('ALL').describe('How far back; ALL by default. Ignored with `windows`.'),
    windows: windowsParameter.unwrap().optional().describe('Comma-separated: the response then has all of them.'),
  }),
  response: pnlViewSchema,
  handle: ({ query, caller }, dependencies) => {
    const accounts = accountsOf(query);
    const source = seriesSource(dependencies, caller);
    const bound = accounts.map((account) => isBound(source, account));
    const performance = readPerformance(accounts, query.windows ?? [query.window], source);
    const body = query.windows
      ? batchedPnl(query.windows, performance, bound)
      : singlePnl(query.window, performance, bound);
    return deprecatedResponse('/v1/portfolio/performance', body);
  },
});
