import type { Book } from '#schemas/domain/book';
import type { Decimal } from '#schemas/domain/decimal';
import type { AnomalyKind } from '#schemas/topics/anomalies';
import type { Trade } from '#schemas/topics/normalised';
import type { Resolution } from '#schemas/topics/oracle';
import type { Waiting } from '../shared/waiting.ts';
import type { Series } from './series.ts';

/** Buckets are minutes of event time, counted since 1970. */
export const MINUTE_MS = 60_000;
/** Number of minutes before a bucket that form its baseline. */
export const WINDOW_MINUTES = 1_440;
/**
 * How long after its end a bucket accepts trades: a chain publishes a block some seconds after the block's own time.
 * Later trades are not counted, so that neither catching up after an outage nor the past trades that a venue sends to a
 * new subscriber look like a burst.
 */
export const TRADE_GRACE_MS = 20_000;

/** The widest spread of a book in a minute. */
export interface Widest {
  readonly spread: Decimal;
  readonly bid: Decimal;
  readonly ask: Decimal;
}

/** A delay that is part of its provider's baseline. */
export interface DelayState {
  /** Id of the resolution. */
  readonly resolution: string;
  /** When it was evaluated, unix ms. */
  readonly receivedAt: number;
  /** In seconds. */
  readonly value: Decimal;
}

/** A prediction market of a catalog. */
export interface MarketState {
  readonly provider: string;
  readonly marketId: string;
  /** Its event, or the survivor if events were merged. */
  universalId: string;
  yes: string;
  no: string | null;
  /** The YES book; null before its first snapshot and after its end. */
  book: Book | null;
  /** True if its feed was lost since its newest frame. */
  isBookLost: boolean;
  /** Widest spread of the current minute; null if no frame of the book came in it, or the book never had two sides. */
  widest: Widest | null;
  /** Buckets of the last `WINDOW_MINUTES`, by minute; null without any. */
  spreads: Series | null;
  volumes: Series | null;
  fills: Series | null;
  /** Its settlement delay; null until it is resolved, or if the delay is unknown. */
  delay: DelayState | null;
  /** Kinds of anomalies with an episode that was emitted and has not ended. */
  openEpisodes: AnomalyKind[];
  /** True if its event is resolved. */
  isResolved: boolean;
  /** When its event was closed (`UniversalEvent.overAt`); null while it is open. */
  overAt: number | null;
}

/** The trades of one market in one minute. */
export interface TradeBucket {
  volume: Decimal;
  trades: number;
  /** Number of fills by wallet. */
  readonly fills: Map<string, number>;
  /** Number of its trades that may still be reverted. */
  pending: number;
}

/** One minute of trades. After its evaluation only the buckets with trades that may still be reverted remain. */
export interface TradeMinute {
  /** Ids of its counted trades, until it is evaluated: a repeated trade counts once. */
  readonly ids: Set<Trade['id']>;
  /** By market. */
  readonly buckets: Map<string, TradeBucket>;
}

/** The market and minute in which a trade that may still be reverted was counted. */
export interface PendingTrade {
  readonly market: string;
  readonly minute: number;
}

/**
 * Bounded by the markets of events that are not archived (`schemas/domain/archived-events.ts`), by `WINDOW_MINUTES`
 * buckets of three series for each, which take some four to eight bytes a bucket, by the trades of two minutes, and by
 * the constants named below.
 */
export interface AnomaliesState {
  /** By `provider|market`. */
  readonly markets: Map<string, MarketState>;
  /** Market of each YES instrument. */
  readonly yesOf: Map<string, string>;
  /** Instruments of NO sides, whose books are ignored. */
  readonly noSides: Set<string>;
  /** Books of instruments without an event yet, the oldest first; at most `WAITING_BOOKS_MAX`. */
  readonly waitingBooks: Map<string, Book>;
  /** The minute in which books are measured; -1 before the first record. */
  bookMinute: number;
  /** Markets with a `widest`, in the order of their first measurement. */
  measured: string[];
  /** The oldest minute that still accepts trades; -1 before the first record. */
  tradesFrom: number;
  readonly minutes: Map<number, TradeMinute>;
  /** Pending trades by id, the oldest first; at most `PENDING_TRADES_MAX`. */
  readonly pending: Map<Trade['id'], PendingTrade>;
  /** Delays of the last 30 days of each provider, by the time of their evaluation. */
  readonly delays: Map<string, Series>;
  /** Resolutions of markets without an event yet; bounded as described in `waiting.ts`. */
  readonly waitingResolutions: Waiting<Resolution>;
}

/** Greatest number of waiting books: only those that come shortly before their market's event need to wait. */
export const WAITING_BOOKS_MAX = 2_000;
/** Greatest number of pending trades, which last a few minutes on a chain; beyond it the oldest count as confirmed. */
export const PENDING_TRADES_MAX = 200_000;

export function createAnomaliesState(): AnomaliesState {
  return {
    markets: new Map(),
    yesOf: new Map(),
    noSides: new Set(),
    waitingBooks: new Map(),
    bookMinute: -1,
    measured: [],
    tradesFrom: -1,
    minutes: new Map(),
    pending: new Map(),
    delays: new Map(),
    waitingResolutions: new Map(),
  };
}
