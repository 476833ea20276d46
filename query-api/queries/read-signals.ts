import { type Query, query, type Reader } from './query.ts';

/** How long the recent arbitrage of an event lasted (specification, Arb-decay record). */
export interface SignalFigures {
  /** Number of signals that began in the window. */
  readonly signalsConsidered: number;
  /** Number of them whose net edge fell to half its peak or less. */
  readonly decayedSignals: number;
  /**
   * Median time from peak to decay of the decayed signals (mean of the middle two for an even count). Null if there are
   * none.
   */
  readonly medianHalfLifeMs: number | null;
}

const WINDOW_MS = 7 * 86_400_000;

/**
 * The query for the figures of the 7 days before `now` (unix ms), as of `now`.
 * @param universalIds the event and the events that were merged into it.
 */
export function signals(universalIds: readonly string[], now: number): Query<SignalFigures> {
  return {
    name: 'arbitrage-signals',
    sql: `SELECT toFloat64(count()) AS considered, toFloat64(countIf(hasDecayed)) AS decayed,
       if(decayed = 0, NULL, quantileExactInclusiveIf(0.5)(halfLife, hasDecayed)) AS median
     FROM (
       SELECT decayedAt IS NOT NULL AND decayedAt <= fromUnixTimestamp64Milli({now:Int64}) AS hasDecayed,
         toFloat64(if(hasDecayed, dateDiff('millisecond', peakAt, assumeNotNull(decayedAt)), 0)) AS halfLife
       FROM arbitrage_signals FINAL
       WHERE universalId IN {universalIds:Array(String)}
         AND beganAt > fromUnixTimestamp64Milli({since:Int64}) AND beganAt <= fromUnixTimestamp64Milli({now:Int64})
     )`,
    parameters: { universalIds, since: now - WINDOW_MS, now },
    parse: ([row]: { considered: number; decayed: number; median: number | null }[]) => {
      const { considered = 0, decayed = 0, median = null } = row ?? {};
      return {
        signalsConsidered: considered,
        decayedSignals: decayed,
        medianHalfLifeMs: median === null ? null : Math.round(median),
      };
    },
  };
}

export function readSignals(store: Reader, universalIds: readonly string[], now: number): Promise<SignalFigures> {
  return query(store, signals(universalIds, now));
}
