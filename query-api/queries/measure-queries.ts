import type { Logger } from 'pino';
import type { Metrics } from '#infra/telemetry/metrics';
import type { Reader } from './query.ts';

const SLOW_MS = 1_000;

export interface MeasureOptions {
  readonly metrics: Pick<Metrics, 'queries'>;
  readonly logger: Pick<Logger, 'warn'>;
  /** Monotonic ms. */
  readonly now?: () => number;
}

/** A reader that measures each query by name, failed ones included, and logs those that take longer than a second. */
export function measureQueries(
  reader: Reader,
  { metrics, logger, now = () => performance.now() }: MeasureOptions,
): Reader {
  return {
    async query(sql, parameters, name = 'other') {
      const startedAt = now();
      try {
        return await reader.query(sql, parameters, name);
      } finally {
        const ms = now() - startedAt;
        metrics.queries.observe({ query: name }, ms / 1_000);
        // Without parameters, which may identify a customer.
        if (ms > SLOW_MS) logger.warn({ query: name, ms: Math.round(ms) }, 'slow query');
      }
    },
  };
}
