import type { Metrics } from '../telemetry/metrics.ts';
import { delegatingLog } from './delegating-log.ts';
import { type EventLog, LogError } from './log.ts';

/** Measures the appends of a log. */
export function measuredLog(
  log: EventLog,
  { logAppends, logUnavailable }: Pick<Metrics, 'logAppends' | 'logUnavailable'>,
): EventLog {
  /** Up to when the current time without a successful append is counted; null while the log is available. */
  let countedUntil: number | null = null;
  const countUnavailable = (now: number) => {
    if (countedUntil !== null) logUnavailable.inc((now - countedUntil) / 1_000);
  };
  return delegatingLog(log, {
    append: async (records) => {
      const startedAt = performance.now();
      try {
        await log.append(records);
        countUnavailable(performance.now());
        countedUntil = null;
      } catch (error) {
        if (error instanceof LogError && error.canRetry) {
          const now = performance.now();
          countUnavailable(now);
          countedUntil = now;
        }
        throw error;
      } finally {
        logAppends.observe((performance.now() - startedAt) / 1_000);
      }
    },
  });
}
