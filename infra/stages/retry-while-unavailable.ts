import type { Logger } from 'pino';
import { isTransient, retry } from '../runtime/retry.ts';
import type { Health } from '../telemetry/health.ts';

/** Failures in a row after which a stopping stage gives up, so that the stop ends. */
const FAILURES_MAX_STOPPING = 3;

export interface RetryPolicy {
  /** Part of `/health`. */
  readonly part: string;
  readonly logger: Logger;
  readonly health?: Health | undefined;
  /** Aborted when the stage must stop. */
  readonly stopping: AbortSignal;
  /** Failures in a row after which to give up; unlimited for a service, which waits. */
  readonly failuresMax?: number;
}

/**
 * Retries an operation while the log or the registry is unavailable. Meanwhile the stage waits and `/health` says
 * `degraded`. Rejects with every error that is not transient, after `failuresMax` failures in a row, and while stopping
 * after three failures. Success makes the part ready, so no other fault may be reported under the same part.
 * @param trouble text logged with the first failure, such as `log unavailable for reading`.
 */
export function retryWhileUnavailable<T>(
  retryPolicy: RetryPolicy,
  trouble: string,
  operation: () => Promise<T>,
): Promise<T> {
  const { part, logger, health, stopping, failuresMax = Number.POSITIVE_INFINITY } = retryPolicy;
  return retry(operation, {
    canRetry: (error, failures) =>
      isTransient(error) && failures < (stopping.aborted ? FAILURES_MAX_STOPPING : failuresMax),
    onFailure: (error, failures) => {
      if (failures === 1) logger.error({ part, error }, `${trouble}, retrying`);
      health?.degraded(part, (error as Error).message);
    },
    onRecovered: () => health?.ready(part),
    signal: stopping,
  });
}
