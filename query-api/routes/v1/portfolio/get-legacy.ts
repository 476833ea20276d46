import { z } from 'zod';
import { timeLimit } from '#infra/runtime/time-limit';
import { isoTime, isoTimeSchema } from '#schemas/http/scalars';
import { PROVIDER_FAMILIES, type ProviderFamily } from '#schemas/venues/accounts';
import { accountsOf, addressParameters } from '../../../accounts/address-parameters.ts';
import { READS_WITHIN_MS, readAccountState } from '../../../accounts/read-account-value.ts';
import { readFewAtOnce } from '../../../accounts/read-few-at-once.ts';
import { sliceOf, sliceSchema, summaryOf, summarySchema } from '../../../accounts/venue-slice.ts';
import { CustomResponse, defineCallerRoute } from '../../route.ts';
import { deprecatedResponse, deprecationHeaders } from './deprecated.ts';

const family = z.enum(PROVIDER_FAMILIES);
const native = z
  .unknown()
  .describe('What the venue sent: the state of the main dex (venue_a), the rows of all positions (venue_b).');

const legacySchema = z.object({
  schemaVersion: z.literal(1).describe('Version of the portfolio contract.'),
  complete: z.literal(true).describe('A response without a complete value of each venue is 502.'),
  user: z.string().nullable().describe('`user` in lower case; null without it.'),
  providers: z.array(family).describe('All venues that there are.'),
  slices: z.array(sliceSchema.extend({ native })).describe('One of each requested venue.'),
  summary: summarySchema.describe('Sums over the slices.'),
  warnings: z.array(z.string()).max(0).describe('Empty.'),
  fetchedAt: isoTimeSchema.describe('When the response was composed.'),
});

/** This error has no envelope (specification, Portfolio). */
const incompleteSchema = z.object({
  code: z.literal('portfolio_snapshot_incomplete').describe('A venue has no complete value of its account.'),
  message: z.string().describe('What happened.'),
  failures: z
    .array(
      z.object({
        provider: family.describe('The venue.'),
        code: z.literal('provider_snapshot_unavailable').describe('It failed, or its limits leave no room.'),
      }),
    )
    .describe('The venues that failed.'),
});

export const getLegacyPortfolio = defineCallerRoute({
  method: 'GET',
  path: '/v1/portfolio/legacy',
  scope: 'admin',
  sku: 'portfolio.read',
  servesMarketData: true,
  ownHeaders: deprecationHeaders,
  ownErrors: { 502: { schema: incompleteSchema, example: incompleteBody(['venue_b']) } },
  summary: 'Deprecated: what accounts are worth now, read from the venues; use the portfolio.',
  params: z.object({}),
  query: z.object({
    ...addressParameters,
    fresh: z
      .enum(['1', 'true', '0', 'false'])
      .describe('`1` or `true`: joins no read that has ended; others do within 15 s.')
      .optional(),
  }),
  response: legacySchema,
  async handle({ query, signal }, dependencies) {
    const accounts = accountsOf(query);
    const fresh = query.fresh === '1' || query.fresh === 'true';
    const until = timeLimit(READS_WITHIN_MS, signal);
    const results = await readFewAtOnce(
      accounts,
      ({ provider, address }) => readAccountState({ family: provider, address, signal: until }, fresh, dependencies),
      until,
    );
    const failures = results.flatMap((result, at) => ('failure' in result ? [accounts[at]!.provider] : []));
    if (failures.length > 0) return incomplete(failures);
    const states = results.flatMap((result) => ('value' in result ? [result.value] : []));
    return deprecatedResponse('/v1/portfolio', {
      schemaVersion: 1 as const,
      complete: true as const,
      user: query.user ?? null,
      providers: [...PROVIDER_FAMILIES],
      slices: states.map((state, at) => ({ ...sliceOf(accounts[at]!, state.value), native: state.native })),
      summary: summaryOf(states.map(({ value }) => value)),
      warnings: [],
      fetchedAt: isoTime(Date.now()),
    });
  },
});

function incomplete(failed: readonly ProviderFamily[]) {
  const { headers } = deprecatedResponse('/v1/portfolio', null);
  return new CustomResponse(502, incompleteBody(failed) as never, headers);
}

/** What failed upstream is not shown. */
function incompleteBody(failed: readonly ProviderFamily[]): z.infer<typeof incompleteSchema> {
  return {
    code: 'portfolio_snapshot_incomplete',
    message: `no complete snapshot of ${failed.join(' and ')}; try again`,
    failures: failed.map((provider) => ({ provider, code: 'provider_snapshot_unavailable' })),
  };
}
