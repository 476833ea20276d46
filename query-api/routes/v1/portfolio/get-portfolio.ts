import { z } from 'zod';
import { isoTime, isoTimeSchema } from '#schemas/http/scalars';
import { PROVIDER_FAMILIES } from '#schemas/venues/accounts';
import { accountsOf, addressParameters } from '../../../accounts/address-parameters.ts';
import { balanceHeadSchema, readBalanceHead } from '../../../accounts/balance-head.ts';
import { defineCallerRoute } from '../../route.ts';

export const getPortfolio = defineCallerRoute({
  method: 'GET',
  path: '/v1/portfolio',
  scope: 'read',
  sku: 'portfolio.read',
  servesMarketData: true,
  summary:
    'What accounts of a user are worth together, as the service last read them all at a time; no request is sent to a venue.',
  params: z.object({}),
  query: z.object(addressParameters),
  response: z.object({
    schemaVersion: z.literal(1).describe('Version of the portfolio contract.'),
    user: z.string().nullable().describe('`user` in lower case; null without it.'),
    providers: z.array(z.enum(PROVIDER_FAMILIES)).describe('The requested venues.'),
    balanceHead: balanceHeadSchema,
    fetchedAt: isoTimeSchema.describe('When the response was composed.'),
  }),
  async handle({ query }, dependencies) {
    const accounts = accountsOf(query);
    const now = dependencies.views.events.now ?? Date.now();
    return {
      schemaVersion: 1 as const,
      user: query.user ?? null,
      providers: accounts.map(({ provider }) => provider),
      balanceHead: await readBalanceHead(accounts, now, dependencies),
      fetchedAt: isoTime(now),
    };
  },
});
