import type { Book } from '#schemas/domain/book';
import type { Decimal } from '#schemas/domain/decimal';
import type { AnomalyKind } from '#schemas/topics/anomalies';
import type { Trade } from '#schemas/topics/normalised';
import type { Resolution } from '#schemas/topics/oracle';
import type { Waiting } from '../shared/waiting.ts';
import type { Series } from './series.ts';

/** Buckets are minutes of event time, counted since 1970. */
export const MINUTE_MS = 60_000;
/** A bucket is judged against so many minutes before it. */
export const WINDOW_MINUTES = 1_440;
/**
 * How long after its end a bucket still takes trades: a chain tells of a block some seconds after the block's own time.
 * Trades that come later are history and counted nowhere, which is also what keeps the catching up after an outage, or
 * the past trades that a venue tells to a new subscriber, from looking like a burst.
 */
export const TRADE_GRACE_MS = 20_000;

/** A book at its widest. */
export interface Widest {
  readonly spread: Decimal;
  readonly bid: Decimal;
  readonly ask: Decimal;
}

/** A delay that is in its provider's baseline. */
export interface DelayState {
  /** Id of the resolution. */
  readonly resolution: string;
  /** When it was judged, unix ms. */
  readonly receivedAt: number;
  /** In seconds. */
  readonly value: Decimal;
}

/** One catalogued prediction market. */
export interface MarketState {
  readonly provider: string;
  readonly marketId: string;
  /** Its event, the survivor where events were merged. */
  universalId: string;
  yes: string;
  no: string | null;
  /** The YES book; null before its first whole frame and once it ended. */
  book: Book | null;
  /** Its feed was lost since its newest frame. */
  isBookLost: boolean;
  /** Of the minute that runs; null while no frame of the book came in it, or it was never two-sided. */
  widest: Widest | null;
  /** Buckets of the last `WINDOW_MINUTES` by minute; null without any. */
  spreads: Series | null;
  volumes: Series | null;
  fills: Series | null;
  /** How late it was decided; null until it is, and where that is not known. */
  delay: DelayState | null;
  /** Detectors that told of an episode which has not ended. */
  openEpisodes: AnomalyKind[];
  /** Its event was told to be resolved. */
  isResolved: boolean;
  /** Since when its event is over (`UniversalEvent.overAt`). */
  overAt: number | null;
}

/** The trades of one market in one minute. */
export interface TradeBucket {
  volume: Decimal;
  trades: number;
  /** Fills by wallet. */
  readonly fills: Map<string, number>;
  /** Trades in it that may still be reverted. */
  pending: number;
}

/** One minute of trades. Once it was judged, only the buckets are kept in which trades may still be reverted. */
export interface TradeMinute {
  /** Trades counted in it, until it is judged: one that is told again counts once. */
  readonly ids: Set<Trade['id']>;
  /** By market. */
  readonly buckets: Map<string, TradeBucket>;
}

/** Where a trade that may still be reverted was counted. */
export interface PendingTrade {
  readonly market: string;
  readonly minute: number;
}

/**
 * Bounded by the markets of events that are not past (`schemas/domain/past-events.ts`), by `WINDOW_MINUTES` buckets
 * of three series for each, which take some four to eight bytes a bucket, by the trades of two minutes, and by the
 * constants named below.
 */
export interface AnomaliesState {
  /** By `provider|market`. */
  readonly markets: Map<string, MarketState>;
  /** Market of each YES instrument. */
  readonly yesOf: Map<string, string>;
  /** Instruments of NO sides: their books are of no use here. */
  readonly noSides: Set<string>;
  /** Books of instruments that no event has named yet, at most `WAITING_BOOKS_MAX`, the oldest first. */
  readonly waitingBooks: Map<string, Book>;
  /** The minute in which books are being measured; -1 before the first event. */
  bookMinute: number;
  /** Markets with a `widest`, in the order in which they got it. */
  measured: string[];
  /** The oldest minute that still takes trades; -1 before the first event. */
  tradesFrom: number;
  readonly minutes: Map<number, TradeMinute>;
  /** By id, the oldest first; at most `PENDING_TRADES_MAX`. */
  readonly pending: Map<Trade['id'], PendingTrade>;
  /** Delays of the last 30 days of each provider, by the time at which they were judged. */
  readonly delays: Map<string, Series>;
  /** Resolutions of markets that no event has yet; bounded as `waiting.ts` says. */
  readonly waitingResolutions: Waiting<Resolution>;
}

/** Only books that come in the moment before their market's event wait. */
export const WAITING_BOOKS_MAX = 2_000;
/** Chain trades wait a few minutes for their confirmation; one beyond this number is taken for confirmed. */
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
