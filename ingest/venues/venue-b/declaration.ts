/** What venue_b is to ingest: addresses, limits and intervals (venue page, sections 1, 2, 5 and 9). */

/** Public addresses, used with `--venues live`. */
export const LIVE = {
  gamma: 'https://gamma-api.polymarket.com',
  clobWs: 'wss://ws-subscriptions-clob.polymarket.com/ws/market',
  rpc: 'https://polygon-bor-rpc.publicnode.com',
} as const;

/** The catalog allows 300 market lists in 10 s; a sixth of it is asked at most. */
export const CATALOG_BUDGET = { max: 50, windowMs: 10_000 } as const;
/** Markets of one page: the most that the venue gives. */
export const PAGE_MARKETS = 100;
/**
 * Pages of one pass, and so 200,000 open markets; a longer one is cut off, which the log of the process says. The
 * normaliser keeps 250,000 markets and forgets open ones last (`processors/normalise/venue-b`): all of these have room.
 */
export const PASS_PAGES_MAX = 2_000;
/** A pass over the whole open catalog takes place at most this often… */
export const PASS_EVERY_MS = 60_000;
/** …and a large catalog less often: a page every so long on average, which bounds what is asked of the venue. */
export const PASS_PAGE_MS = 1_000;
/** The newest markets are asked for this often, also while a pass is under way. */
export const NEWEST_EVERY_MS = 10_000;
/** The markets that closed last are asked for this often. */
export const CLOSED_EVERY_MS = 30_000;
/** The lists are cut off beyond this offset. */
export const OFFSET_MAX = 10_000;
/** Markets that one look-up names: with 66 characters each its address stays well below 8 KiB. */
export const LOOK_UP_MARKETS = 50;
/** Markets that vanished from the list and are looked up, at most. */
export const VANISHED_MAX = 1_000;
/** A vanished market is looked up so many times: the closed list may be told later than the open one. */
export const VANISHED_LOOK_UPS = 5;
/**
 * Markets of which it is remembered how they were told; beyond it they are told anew. The normaliser keeps 250,000,
 * of which 1,000 go at once, the ones that the walk through the earlier markets brought before all that are remembered
 * here: what it has forgotten, it must hear again.
 */
export const TOLD_MAX = 249_000;
/**
 * A market that does not change is told anew after so long. Of 200,000 markets that are some 90 pages an hour, and it
 * mends by itself whatever a reader missed.
 */
export const RETELL_MS = 7 * 86_400_000;
/**
 * Earlier markets (those that closed before the first start) whose date lies this far back at most are told first: their
 * events are not past yet (`schemas/domain`).
 */
export const EARLIER_RECENT_MS = 90 * 86_400_000;
/** Pages of them in one round of the catalog, until all were told… */
export const EARLIER_RECENT_PAGES = 5;
/**
 * …and then of the whole closed catalog. At 20 markets a second a million takes 14 hours and fills some 5 GB of raw
 * records; what was decided long ago stands in the processors for an hour at most, so 72,000 at a time.
 */
export const EARLIER_ALL_PAGES = 2;
/** How far back in the log the place among the earlier markets is looked for at a start: beyond a whole pass… */
export const PLACE_RECORDS = PASS_PAGES_MAX + 1_000;
/** …and after how many published answers it is said again, so that it is found there. */
export const PLACE_EVERY_ANSWERS = 250;

/** Tokens of one socket (the venue's documented cap was 500 once; 200 is what is known to hold). */
export const TOKENS_PER_SOCKET = 200;
/** Market sockets. */
export const SOCKETS = 10;
/** Tokens whose books are watched. */
export const WATCHED_TOKENS_MAX = TOKENS_PER_SOCKET * SOCKETS;
/** The venue documents no limit on connections and client frames; these are those of a polite client. */
export const CONNECTION_BUDGET = { max: 40, windowMs: 60_000 } as const;
export const MESSAGE_BUDGET = { max: 600, windowMs: 60_000 } as const;
/** Text to be sent every 10 s; a socket that says nothing for 20 s is dead. */
export const HEARTBEAT = { frame: 'PING', everyMs: 10_000, silenceMs: 20_000 } as const;

/** How often the chain's head is asked for; a block takes 1.5 to 2 s. */
export const HEAD_EVERY_MS = 1_000;
/** How often the node's finalized block is asked for. */
export const FINALIZED_EVERY_MS = 10_000;
/** Without a new block for so long the node has stopped, though it answers. */
export const HEAD_SILENCE_MS = 30_000;
/**
 * Blocks this close below the head are taken one by one, by hash, each under its header; deeper ones by range. The chain
 * had deep reorganisations, of which none reached this far.
 */
export const NEAR_BLOCKS = 256;
/** How far back a reorganisation is followed. */
export const ANCESTOR_BLOCKS_MAX = 1_024;
/** Blocks of one range of `eth_getLogs`: where it begins, and the most (providers differ, section 9). */
export const RANGE_BLOCKS_FIRST = 500;
export const RANGE_BLOCKS_MAX = 2_000;
/** Requests to the node in flight at once. */
export const RPC_PARALLEL = 8;
/** Requests to the node: what public endpoints bear. */
export const RPC_BUDGET = { max: 50, windowMs: 1_000 } as const;
export const RPC_TIMEOUT_MS = 15_000;

/** A backfill asks for so many blocks at once (specification, Backfill rules)… */
export const HISTORY_CHUNK_BLOCKS = 2_000;
/** …and for so many chunks at most; all exchanges are asked in one question. */
export const HISTORY_CHUNKS_MAX = 1_000;
/** Fills after which a backfill goes no further back: what one wallet may cost. */
export const HISTORY_FILLS_MAX = 2_000;
/** Chunks that one backfill reads at once. */
export const HISTORY_PARALLEL = 4;
/**
 * Requests of all backfills to the node, of those in `RPC_BUDGET`: the rest is always left for following the chain,
 * which takes two or three a second.
 */
export const HISTORY_BUDGET = { max: 30, windowMs: 1_000 } as const;
/** Blocks and accounts of one question for taker legs. */
export const TAKER_SPAN_BLOCKS = 100;
export const TAKER_ACCOUNTS_MAX = 50;
/** A backfill that takes longer has failed. */
export const HISTORY_SCAN_MAX_MS = 10 * 60_000;
