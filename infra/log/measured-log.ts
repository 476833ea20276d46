import type { Metrics } from '../telemetry/metrics.ts';
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
  return {
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
    advance: (watermarks) => log.advance(watermarks),
    createTopics: (topics) => log.createTopics(topics),
    lease: (name, topics, options) => log.lease(name, topics, options),
    reader: (from) => log.reader(from),
    group: (id, topics) => log.group(id, topics),
    committed: (id, at) => log.committed(id, at),
    bounds: (at) => log.bounds(at),
    last: (at) => log.last(at),
    offsetAt: (at, appendedAt) => log.offsetAt(at, appendedAt),
    clearTopic: (topic) => log.clearTopic(topic),
    maintain: (now, limits, signal) => log.maintain(now, limits, signal),
    close: () => log.close(),
  };
}
