import { z } from 'zod';
import { defineRoute } from './route.ts';

const provider = z.object({
  provider: z.string(),
  family: z.string(),
  status: z.enum(['available', 'planned']),
  capabilities: z.array(z.string()),
});

/** Capabilities of every provider with universal events. */
const EVENT_CAPABILITIES = [
  'events',
  'spread',
  'arbitrage',
  'trades',
  'anomalies',
  'settlement',
  'stream.spread',
  'stream.arbitrage',
  'stream.trades',
  'stream.anomalies',
  'stream.settlement',
] as const;

/** Current capabilities of each provider, for feature detection by clients. */
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
    capabilities: [...EVENT_CAPABILITIES, 'stream.raw'],
  },
  { provider: 'venue_a_dex', family: 'venue_a', status: 'planned', capabilities: [] },
  {
    provider: 'venue_b',
    family: 'venue_b',
    status: 'available',
    capabilities: [...EVENT_CAPABILITIES, 'disputes', 'stream.disputes', 'stream.raw'],
  },
  { provider: 'venue_c', family: 'venue_c', status: 'planned', capabilities: [] },
];

export const getProviders = defineRoute({
  method: 'GET',
  path: '/providers',
  scope: null,
  sku: null,
  cacheTtlMs: 60_000,
  summary: 'Lists the providers and their capabilities.',
  params: z.object({}),
  query: z.object({}),
  response: z.object({ providers: z.array(provider) }),
  handle: () => ({ providers: CATALOG }),
});
