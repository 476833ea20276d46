/** Limits and intervals of venue_a (venue page, sections 1, 7 and 8). */
import type { Limits } from '../../feed/planner.ts';

/** Priorities of REST requests, the most important first (contract, The venue's limits). */
export const REST_PRIORITIES = {
  listings: 0,
  reads: 1,
  /** Snapshots that would not all be within their ten minutes otherwise. */
  urgentSnapshots: 2,
  /** Snapshots of accounts within their ten minutes. */
  snapshots: 3,
  /** Fills of an account that a trade named, and the first ones of an account that was bound. */
  tradedFills: 4,
  repairs: 5,
  settlements: 6,
  /** Histories of accounts. */
  fillLoads: 7,
  others: 8,
} as const;
/** The minute over which the venue counts. */
export const MINUTE_MS = 60_000;
/** How long the venue may take to notice that a killed process is gone, or to receive a frame. */
const DELAY_MS = 2_000;
/** Connection slots. Two of ten connections are left for other programs of this IP address. */
export const SLOTS = 8;
/** The venue allows this many users of its user channels, over all connections. */
export const USERS_MAX = 10;
/** The venue allows this many subscriptions in total. */
export const SUBSCRIPTIONS_MAX = 1_000;
/**
 * The limits of the venue (section 8). At least half of the weight is for reads of clients, and of that what one read may
 * cost at most for organizations that read little; half of it is lent while they read little, and to urgent snapshots all
 * but 50. A quarter is for these or listings, of which a round costs 100. Weight and new connections count until the venue
 * has responded; what cannot be seen, such as the arrival of a frame, has a margin.
 * @param minuteMs the minute over which the venue counts; shorter with a simulator that counts so.
 */
export const limitsOf = (minuteMs: number): Limits => ({
  weight: {
    max: 1_200,
    windowMs: minuteMs,
    chunk: 100,
    reserved: {
      priority: REST_PRIORITIES.reads,
      cost: 600,
      idle: 300,
      urgent: { priority: REST_PRIORITIES.urgentSnapshots, idle: 50 },
      spare: 120,
      behindMax: 300,
    },
  },
  connections: { max: 10, windowMs: DELAY_MS, chunk: 10 },
  newConnections: { max: 30, used: 28, windowMs: minuteMs, chunk: 1 },
  subscriptions: { max: SUBSCRIPTIONS_MAX, windowMs: DELAY_MS, chunk: SUBSCRIPTIONS_MAX },
  messages: { max: 2_000, used: 1_900, windowMs: minuteMs + DELAY_MS, chunk: 100 },
});
/** Reads of clients that are sent at once. */
export const READS_RUNNING = 16;
/** Acquisitions of accounts that are sent at once; each has some twelve requests. */
export const ACQUISITIONS_RUNNING = 8;
/** How long a read waits for room within the limits. */
export const READS_WAIT_MS = 10_000;
/** How long a read takes at most, with all its attempts. */
export const READS_TOTAL_MS = 25_000;
/** How long one attempt of a read takes at most. */
export const READ_TIMEOUT_MS = 4_000;
/** Weight of each metadata request. */
export const METADATA_WEIGHT = 20;
/**
 * The venue answers pings, and closes a connection to which it sent nothing for 60 s. More frequent pings show within
 * seconds that a quiet connection is alive, and cost 48 of 2000 frames a minute.
 */
export const HEARTBEAT = {
  frame: '{"method":"ping"}',
  intervalMs: 10_000,
  silenceMs: 20_000,
  idleLimitMs: 60_000,
} as const;

/** Time between two rounds of metadata requests, so that lists are at most 30 s old; a round takes some seconds. */
export const METADATA_INTERVAL_MS = 25_000;
/** Minimum interval of metadata requests, however many outcome markets appear. */
export const METADATA_MIN_INTERVAL_MS = 5_000;
/** Requests whose answers determine the subscriptions. */
export const SUBSCRIPTION_REQUESTS = [
  'metaAndAssetCtxs',
  'allPerpMetas',
  'spotMetaAndAssetCtxs',
  'outcomeMeta',
] as const;
/** Requests whose answers only the processors read. */
export const OTHER_REQUESTS = ['perpDexs'] as const;

/** The export of the leaderboard has 25 to 40 MB today. */
export const LEADERBOARD = {
  timeoutMs: 120_000,
  bytesMax: 128 * 1024 * 1024,
} as const;

/** The daily files of registered builders, from the host of the leaderboard, which states no limit. */
export const BUILDER_FILES = {
  timeoutMs: 60_000,
  bytesMax: 32 * 1024 * 1024,
  /** At most five requests in a second. */
  requests: { max: 5, windowMs: 1_000 },
  /** Time between two looks for requests that are due. */
  intervalMs: 5_000,
  /** Bytes of the text of a part. */
  partBytes: 512 * 1024,
} as const;

/** A self-hosted node (contract, Reads from the venue). */
export const NODE = {
  /** How long one attempt takes at most. */
  timeoutMs: 2_000,
  /** Time between two reads of its clock. */
  pollMs: 2_000,
  /** A node whose clock is further behind is not asked. */
  lagMaxMs: 10_000,
} as const;

/** How the files of a self-hosted node are followed. */
export const NODE_FILES = {
  /** Time between two reads at the end of a file. */
  pollMs: 100,
  /** Time after a fault of the disk. */
  retryMs: 1_000,
  /** A file is left for that of a later hour when it has not grown for this long. */
  hourQuietMs: 1_000,
  /** The same for a file that ends within a line. */
  lineQuietMs: 10_000,
} as const;
