import { z } from 'zod';
import { PROVIDER_FAMILIES } from '#schemas/venues/accounts';
import { accountsOf, addressParameters } from '../../../accounts/address-parameters.ts';
import { performanceSchema, readPerformance, seriesSource } from '../../../accounts/performance.ts';
import { defineCallerRoute } from '../../route.ts';
import { windowsParameter } from './performance/windows-parameter.ts';

export const getPerformance = defineCallerRoute({
  method: 'GET',
  path: '/v1/portfolio/performance',
  scope: 'read',
  sku: 'portfolio.read',
  servesMarketData: true,
  summary:
    'Value, net deposits and profit of accounts over time, as the service has them; no request is sent to a venue.',
  params: z.object({}),
  query: z.object({ ...addressParameters, windows: windowsParameter }),
  response: z.object({
    schemaVersion: z.literal(1).describe('Version of the portfolio contract.'),
    user: z.string().nullable().describe('`user` in lower case; null without it.'),
    providers: z.array(z.enum(PROVIDER_FAMILIES)).describe('The requested venues.'),
    ...performanceSchema.shape,
  }),
  handle: ({ query, caller }, dependencies) => {
    const accounts = accountsOf(query);
    return {
      schemaVersion: 1 as const,
      user: query.user ?? null,
      providers: accounts.map(({ provider }) => provider),
      ...readPerformance(accounts, query.windows, seriesSource(dependencies, caller)),
    };
  },
});
