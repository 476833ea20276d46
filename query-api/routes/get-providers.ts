import { z } from 'zod';
import { defineRoute } from './route.ts';

const provider = z.object({
  provider: z.string(),
  family: z.string(),
  status: z.enum(['available', 'planned']),
  capabilities: z.array(z.string()),
});

/** What each provider gives now, for feature detection. */
const CATALOG: readonly z.infer<typeof provider>[] = [
  {
    provider: 'venue_a_perp',
    family: 'venue_a',
    status: 'available',
    capabilities: ['markets', 'orderbook', 'trades', 'candles', 'stream.trades', 'stream.raw'],
  },
  {
    provider: 'venue_a_outcome',
    family: 'venue_a',
    status: 'available',
    capabilities: ['events', 'spread', 'arbitrage', 'trades', 'stream.trades', 'stream.raw'],
  },
  { provider: 'venue_a_dex', family: 'venue_a', status: 'planned', capabilities: [] },
  {
    provider: 'venue_b',
    family: 'venue_b',
    status: 'available',
    capabilities: ['events', 'spread', 'arbitrage', 'trades', 'stream.trades', 'stream.raw'],
  },
  { provider: 'venue_c', family: 'venue_c', status: 'planned', capabilities: [] },
];

export const getProviders = defineRoute({
  method: 'GET',
  path: '/providers',
  scope: null,
  sku: null,
  cacheTtlMs: 60_000,
  summary: 'Which provider gives what.',
  params: z.object({}),
  query: z.object({}),
  response: z.object({ providers: z.array(provider) }),
  handle: () => ({ providers: CATALOG }),
});
