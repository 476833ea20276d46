import { z } from 'zod';
import { DECLARATIONS } from '#schemas/venues/index';
import { defineRoute } from './route.ts';

const provider = z.object({
  provider: z.string().describe('The name of the provider in records and channels.'),
  family: z.string().describe('The venue that it belongs to.'),
  status: z.enum(['available', 'planned']).describe('`planned` while it has no capability.'),
  capabilities: z.array(z.string()).describe('What it serves.'),
});

/** Current capabilities of each provider, for feature detection by clients. */
const CATALOG = DECLARATIONS.flatMap(({ venue, providers }) =>
  providers.map(({ provider, capabilities }) => ({
    provider,
    family: venue,
    status: capabilities.length > 0 ? ('available' as const) : ('planned' as const),
    capabilities: [...capabilities],
  })),
);

export const getProviders = defineRoute({
  method: 'GET',
  path: '/providers',
  scope: null,
  sku: null,
  cacheTtlMs: 60_000,
  summary: 'Lists the providers and their capabilities.',
  params: z.object({}),
  query: z.object({}),
  response: z.object({ providers: z.array(provider).describe('Every provider.') }),
  handle: () => ({ providers: CATALOG }),
});
