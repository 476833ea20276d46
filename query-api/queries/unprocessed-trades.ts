/** The time of which the tables do not have the bars from recorded trades yet, as a gap. */
import { MINUTE_MS, sourceRulesOf } from '#schemas/domain/candles/sources';
import type { RangeOfInstrument } from './read-source-bars.ts';
import type { BarInstrument } from './stored-bar.ts';

/** Bars are in the tables within seconds. If they are later than this, ingest or a stage has stopped, ms. */
const LATE_AFTER_MS = 30_000;

/**
 * While processing is late by more than 30 s, nothing that was recorded since counts as complete: the gap from the last
 * time that was processed. Empty otherwise, and while either time is unknown.
 * @param tablesAt the time up to which the tables have everything, unix ms.
 * @param now the pipeline's time, unix ms.
 */
export function unprocessedTrades(
  instruments: readonly BarInstrument[],
  tablesAt: number | null,
  now: number | null,
): RangeOfInstrument[] {
  if (tablesAt === null || now === null || now - tablesAt <= LATE_AFTER_MS) return [];
  return instruments.map(({ provider, coin }) => {
    const source = sourceRulesOf(provider).recorded;
    return { provider, coin, source, intervalMs: MINUTE_MS, kind: 'gap', from: tablesAt, until: null };
  });
}
