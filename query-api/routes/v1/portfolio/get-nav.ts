import { z } from 'zod';
import { accountsOf, oneProviderParameters } from '../../../accounts/address-parameters.ts';
import { navView, navViewSchema } from '../../../accounts/nav-view.ts';
import { readPerformance, seriesSource } from '../../../accounts/performance.ts';
import { windowParameter } from '../../../accounts/wallet-pnl-curve.ts';
import { defineCallerRoute } from '../../route.ts';
import { deprecatedResponse, deprecationHeaders } from './deprecated.ts';

export const getPortfolioNav = defineCallerRoute({
  method: 'GET',
  path: '/v1/portfolio/nav',
  scope: 'read',
  sku: 'portfolio.read',
  servesMarketData: true,
  ownHeaders: deprecationHeaders,
  summary: 'Deprecated: the value of accounts over time; use the performance of a portfolio.',
  params: z.object({}),
  query: z.object({ ...oneProviderParameters, window: windowParameter }),
  response: navViewSchema,
  handle: ({ query, caller }, dependencies) => {
    const performance = readPerformance(accountsOf(query), [query.window], seriesSource(dependencies, caller));
    return deprecatedResponse('/v1/portfolio/performance', navView(query.window, performance));
  },
});
