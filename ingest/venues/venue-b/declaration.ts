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
/** Pages of one pass; a pass that is longer is a listing that does not end. */
export const PASS_PAGES_MAX = 2_000;
/** A pass over the whole catalog takes place at most this often… */
export const PASS_EVERY_MS = 60_000;
/** …and a large catalog less often: a page every so long on average, which bounds what its answers take in the log. */
export const PASS_PAGE_MS = 12_000;
/** Between the passes of a large catalog the newest markets are asked for this often. */
export const NEWEST_EVERY_MS = 60_000;

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
