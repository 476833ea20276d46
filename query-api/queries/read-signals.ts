import type { Store } from '#infra/store/store';
import { type Reading, readOne } from './reading.ts';

/** How long the arbitrage of an event lived lately (specification, Arb-decay record). */
export interface SignalFigures {
  /** Signals that began in the window. */
  readonly signalsConsidered: number;
  /** Those of them whose net edge fell to half its peak or less. */
  readonly decayedSignals: number;
  /** Over the decayed ones, from peak to decay; of an even count the mean of the two in the middle. Null: there are none. */
  readonly medianHalfLifeMs: number | null;
}

const WINDOW_MS = 7 * 86_400_000;

/**
 * The figures of the trailing 7 days before `now` (unix ms): of what began in them, as it stood then.
 * @param universalIds the event and those that were merged into it.
 */
export function signals(universalIds: readonly string[], now: number): Reading<SignalFigures> {
  return {
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
    from: ([row]: { considered: number; decayed: number; median: number | null }[]) => {
      const { considered = 0, decayed = 0, median = null } = row ?? {};
      return {
        signalsConsidered: considered,
        decayedSignals: decayed,
        medianHalfLifeMs: median === null ? null : Math.round(median),
      };
    },
  };
}

export function readSignals(
  store: Pick<Store, 'query'>,
  universalIds: readonly string[],
  now: number,
): Promise<SignalFigures> {
  return readOne(store, signals(universalIds, now));
}
