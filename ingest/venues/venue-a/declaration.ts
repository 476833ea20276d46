/** What venue_a is to ingest: addresses, limits and intervals (venue page, sections 1, 7 and 8). */

/** Public addresses, used with `--venues live`. */
export const LIVE = {
  api: 'https://api.hyperliquid.xyz',
  ws: 'wss://api.hyperliquid.xyz/ws',
} as const;

/** REST weight: 1200 a minute; half of it, so that questions of clients find room. */
export const REST_BUDGET = { max: 600, windowMs: 60_000 } as const;
/** Weight of every metadata question asked here. */
export const METADATA_WEIGHT = 20;
/** 30 new connections a minute. */
export const CONNECTION_BUDGET = { max: 28, windowMs: 60_000 } as const;
/** 2000 client frames a minute over all connections. */
export const MESSAGE_BUDGET = { max: 1_800, windowMs: 60_000 } as const;
/** 1000 subscriptions in total. */
export const SUBSCRIPTIONS_MAX = 1_000;
/** Connection slots, of 10 allowed: two are left for a reconnect that overlaps and for other programs of this address. */
export const SLOTS = 8;
/**
 * The venue closes a connection to which it sent nothing for 60 s, and answers a ping. Pinging far more often shows
 * within seconds that a quiet connection is alive, and costs 48 of 2000 frames a minute.
 */
export const HEARTBEAT = { frame: '{"method":"ping"}', everyMs: 10_000, silenceMs: 20_000 } as const;

/** Metadata is asked for every minute. */
export const METADATA_EVERY_MS = 60_000;
/** And not more often than this, however many outcome markets appear. */
export const METADATA_SOONEST_MS = 5_000;
/** The questions that tell what there is to subscribe to. */
export const SUBSCRIBABLE = ['metaAndAssetCtxs', 'outcomeMeta'] as const;
/** Questions whose answers only the processors read. */
export const FURTHER = ['meta', 'spotMeta', 'spotMetaAndAssetCtxs', 'perpDexs'] as const;
