/** Limits and intervals of venue_b (venue page, sections 1, 2, 5 and 9). */

/** The catalog allows 300 market lists in 10 s. Ingest uses at most a sixth. */
export const CATALOG_BUDGET = { max: 50, windowMs: 10_000 } as const;
/** Markets of one page: the venue's maximum. */
export const PAGE_MARKETS = 100;
/**
 * Maximum pages of one pass, for 200,000 open markets. A longer pass stops there and logs a warning. The normaliser stores
 * 250,000 markets and drops open ones last (`processors/venues/venue-b`), so all of these fit.
 */
export const PASS_PAGES_MAX = 2_000;
/** Minimum interval of passes over the open catalog. */
export const PASS_EVERY_MS = 60_000;
/** Average time for each page, which makes passes over a large catalog less frequent and bounds the request rate. */
export const PASS_PAGE_MS = 1_000;
/** Interval of requests for the newest markets, also during a pass. */
export const NEWEST_EVERY_MS = 10_000;
/** Interval of requests for the markets that closed last. */
export const CLOSED_EVERY_MS = 30_000;
/** The venue truncates its lists beyond this offset. */
export const OFFSET_MAX = 10_000;
/** Markets of one lookup: with 78 characters each, as ids of tokens have, its URL stays below 8 KiB. */
export const LOOK_UP_MARKETS = 50;
/** Maximum of vanished markets that are looked up. */
export const VANISHED_MAX = 1_000;
/** Lookups of a vanished market: the venue may list it as closed some time after it left the open list. */
export const VANISHED_LOOK_UPS = 5;
/**
 * Maximum of tracked markets; beyond it markets are published again. The normaliser stores 250,000 and drops 1,000 at a
 * time, those of the earlier-markets crawl first. This limit is lower, so that a market that the normaliser dropped is
 * published again.
 */
export const PUBLISHED_MARKETS_MAX = 249_000;
/**
 * An unchanged market is published again after this time. For 200,000 markets that is some 90 pages an hour, and it repairs
 * whatever a reader missed.
 */
export const REPUBLISH_MS = 7 * 86_400_000;
/**
 * Earlier markets (those that closed before the first start) with a date within this time are published first: their
 * events are not archived yet (`schemas/domain`).
 */
export const EARLIER_RECENT_MS = 90 * 86_400_000;
/** Pages of recent earlier markets in one round of the catalog. */
export const EARLIER_RECENT_PAGES = 5;
/**
 * Pages of the complete closed catalog in one round, after the recent ones. At 20 markets a second a million takes 14 hours
 * and some 5 GB of raw records. Processors hold a market that was resolved long ago for an hour at most, so 72,000 at a
 * time.
 */
export const EARLIER_ALL_PAGES = 2;
/** Records that are searched for the crawl cursors at a start: more than a complete pass. */
export const CURSOR_RECORDS = PASS_PAGES_MAX + 1_000;
/** A cursor is repeated after this many published answers, so that the search finds it. */
export const CURSOR_EVERY_ANSWERS = 250;

/** Tokens of one socket (the venue once documented a limit of 500; 200 is known to work). */
export const TOKENS_PER_SOCKET = 200;
/** Market sockets. */
export const SOCKETS = 10;
/** Maximum of tokens whose books are watched. */
export const WATCHED_TOKENS_MAX = TOKENS_PER_SOCKET * SOCKETS;
/** Connections of the market sockets that are open at the same time. */
export const OPEN_SOCKETS_BUDGET = { max: SOCKETS, windowMs: 1 } as const;
/** The venue documents no limits on connections and client frames; these are conservative. */
export const CONNECTION_BUDGET = { max: 40, windowMs: 60_000 } as const;
export const MESSAGE_BUDGET = { max: 600, windowMs: 60_000 } as const;
/** The venue expects this text every 10 s. A socket without frames for 20 s is dead. */
export const HEARTBEAT = { frame: 'PING', intervalMs: 10_000, silenceMs: 20_000 } as const;

/** Interval of requests for the chain's head; a block takes 1.5 to 2 s. */
export const HEAD_EVERY_MS = 1_000;
/** Interval of requests for the finalized block. */
export const FINALIZED_EVERY_MS = 10_000;
/** Without a new block for this time the node counts as stalled, even if it answers. */
export const HEAD_SILENCE_MS = 30_000;
/**
 * Blocks this close below the head are read one by one, by hash; deeper ones by range. The chain has undergone deep
 * reorganizations, but none reached this far.
 */
export const NEAR_BLOCKS = 256;
/** Maximum depth of a reorganization that is followed. */
export const ANCESTOR_BLOCKS_MAX = 1_024;
/** Initial and maximum blocks of one range of `eth_getLogs` (providers differ, section 9). */
export const RANGE_BLOCKS_FIRST = 500;
export const RANGE_BLOCKS_MAX = 2_000;
/** Concurrent requests to the node. */
export const RPC_PARALLEL = 8;
/** Request rate that public nodes allow. */
export const RPC_BUDGET = { max: 50, windowMs: 1_000 } as const;
export const RPC_TIMEOUT_MS = 15_000;

/** Priorities of requests about accounts, the most important first (contract, Money: accounts, reads, values). */
export const PRIORITIES = { reads: 0, snapshots: 1, others: 2 } as const;
/** The venue states no limit for PnL series of v1; 400 in 10 s were accepted for those of v2. Ingest uses at most a quarter. */
export const USER_PNL_BUDGET = { max: 100, windowMs: 10_000 } as const;
/** Distance of the points of each window. */
export const USER_PNL_FIDELITIES = { '1D': '1h', '1W': '3h', '1M': '12h', ALL: '1d' } as const;
/** Reads of series that are sent at once. */
export const USER_PNL_RUNNING = 8;
/** How long one attempt takes at most, how long a read waits for room within the limits, and how long it takes at most. */
export const USER_PNL_TIMEOUT_MS = 4_000;
export const USER_PNL_WAIT_MS = 10_000;
export const USER_PNL_TOTAL_MS = 25_000;
/** The venue allows 150 requests of positions in 10 s. Ingest uses at most two thirds. */
export const POSITIONS_BUDGET = { max: 100, windowMs: 10_000 } as const;
/** How long one attempt of a read of an account takes at most. */
export const DATA_TIMEOUT_MS = 4_000;
/** Acquisitions of accounts that are sent at once. */
export const ACQUISITIONS_RUNNING = 8;
/** How long an acquisition waits for room within the limits, and how long it takes at most. */
export const ACQUISITIONS_WAIT_MS = 10_000;
export const ACQUISITIONS_TOTAL_MS = 25_000;

/** Blocks of one request of a backfill (specification, Backfill rules). */
export const HISTORY_CHUNK_BLOCKS = 2_000;
/** Maximum chunks of one backfill. One request covers all exchanges. */
export const HISTORY_CHUNKS_MAX = 1_000;
/** Tokens that one backfill collects before it looks up how their markets were resolved. */
export const HISTORY_TOKENS_MAX = 2_000;
/** Chunks that one backfill reads concurrently. */
export const HISTORY_PARALLEL = 4;
/**
 * Share of `RPC_BUDGET` for all backfills. The rest is reserved for following the chain, which takes some five requests
 * a second.
 */
export const HISTORY_BUDGET = { max: 30, windowMs: 1_000 } as const;
/** Blocks and accounts of one request for taker legs. */
export const TAKER_SPAN_BLOCKS = 100;
export const TAKER_ACCOUNTS_MAX = 50;
