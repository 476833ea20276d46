import { z } from 'zod';
import { isoTime, isoTimeSchema } from '#schemas/http/scalars';
import { PROVIDER_FAMILIES } from '#schemas/venues/accounts';
import { accountsOf, addressParameters } from '../../accounts/address-parameters.ts';
import { positionRowSchema } from '../../accounts/position-rows.ts';
import { readPositions } from '../../accounts/read-positions.ts';
import { defineCallerRoute } from '../route.ts';

const family = z.enum(PROVIDER_FAMILIES as [string, ...string[]]);

export const getPositions = defineCallerRoute({
  method: 'GET',
  path: '/v1/positions',
  scope: 'read',
  sku: 'portfolio.read',
  servesMarketData: true,
  summary: 'Open positions of an address on both venues, bound or not, at most 5 s old.',
  params: z.object({}),
  query: z.object(addressParameters),
  response: z.object({
    user: z.string().nullable().describe('The parameter `user` in lower case; null without it.'),
    providers: z.array(family).describe('The venues that were requested.'),
    positions: z.array(positionRowSchema).describe('Open positions, by venue and dex.'),
    native: z
      .array(
        z.object({
          provider: family.describe('The venue.'),
          address: z.string().describe('The address that was read.'),
          native: z
            .unknown()
            .describe(
              'venue_a: `clearinghouseStateByDex` by name of the dex; venue_b: the rows; null if not readable.',
            ),
        }),
      )
      .describe('What the venues sent.'),
    warnings: z
      .array(
        z.object({
          code: z.enum(['upstream_unavailable', 'upstream_rate_limited']).describe('Why it is missing.'),
          provider: family.describe('The venue.'),
          dex: z.string().nullable().describe('The dex; null for the whole venue.'),
          message: z.string().describe('What happened.'),
        }),
      )
      .describe('What could not be read, so that its positions are missing: never a sign that there are none.'),
    asOf: isoTimeSchema.nullable().describe('Time of the oldest response; null without one.'),
  }),
  async handle({ query }, { ingest }) {
    const accounts = accountsOf(query);
    const read = await Promise.all(accounts.map((account) => readPositions(account, ingest)));
    const times = read.flatMap(({ asOf }) => asOf ?? []);
    return {
      user: query.user ?? null,
      providers: accounts.map(({ provider }) => provider),
      positions: read.flatMap(({ rows }) => rows),
      native: accounts.map((account, at) => ({ ...account, native: read[at]!.native })),
      warnings: read.flatMap(({ warnings }) => warnings),
      asOf: times.length === 0 ? null : isoTime(Math.min(...times)),
    };
  },
});
