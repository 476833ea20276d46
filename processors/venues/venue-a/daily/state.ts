/** State of the stage of daily rows. It is plain data, since snapshots serialize it with `v8.serialize`. */
import type { DayPart } from '#schemas/domain/candles/daily';
import type { SourceRange } from '#schemas/domain/candles/select';
import type { SpotSample } from '#schemas/topics/daily';

/** What is known of a perp on one UTC day. */
export interface PerpDay {
  /** Joined buckets, which only a trade that was received too late changes. Sorted, disjoint. */
  parts: DayPart[];
  /** Other joined buckets: those that lack such a trade (`missed-parts.ts`). */
  missed: MissedPart[];
  /** Packed bars of the other buckets: by source and length (`lengthKey`), then by minute of the day. */
  readonly bars: Map<string, Map<number, string>>;
  /** The published figures; null without a row, and once the day is final. */
  published: string | null;
  /** True if something changed since the figures were calculated. */
  isChanged: boolean;
  /** True once only a trade that was received too late changes the day. It is one part then, without bars. */
  isFinal: boolean;
}

/** Joined buckets that lack a trade. */
export interface MissedPart {
  readonly part: DayPart;
  /**
   * The buckets with trades whose own bar of the venue has not arrived since that became known, as bits of the day: those
   * with a bar, and those that lack a trade.
   */
  awaited: bigint;
}

export interface Perp {
  readonly provider: string;
  readonly coin: string;
  /** Start of the newest bar from recorded trades. */
  newest: number;
  /** Buckets before this time, unix ms, were joined where they are complete. */
  joinedUntil: number;
  /** By source, length and id. Closed ones of past times are joined. */
  readonly ranges: Map<string, SourceRange>;
  /** By start: the last 21 days with a bar, and the current day. */
  readonly days: Map<number, PerpDay>;
}

/** The samples of a pair on one UTC day. */
export interface PairDay {
  readonly day: number;
  count: number;
  readonly open: string;
  high: string;
  low: string;
  last: SpotSample;
}

export interface DailyState {
  /** By `marketKey`: every perp and contract with bars or ranges, as many as were ever listed. */
  readonly perps: Map<string, Perp>;
  /** Keys of perps with changes in a past day. */
  readonly changed: Set<string>;
  /** By coin: every spot pair with a sample on the current day. */
  readonly pairs: Map<string, PairDay>;
  /** Time of the newest mark of the clock. */
  markedAt: number;
}

export function createDailyState(): DailyState {
  return { perps: new Map(), changed: new Set(), pairs: new Map(), markedAt: 0 };
}
