import type { Logger } from 'pino';
import { isTransient, retry } from '../retry.ts';
import type { Health } from '../telemetry/health.ts';

/** A stage that is to stop tries so often in all what has failed, so that a stop ends. */
const FAILURES_MAX_STOPPING = 3;

export interface Patience {
  /** Part of `/health`. */
  readonly part: string;
  readonly logger: Logger;
  readonly health?: Health | undefined;
  /** Aborted when the stage is to stop. */
  readonly stopping: AbortSignal;
  /** Failures in a row after which somebody should rather be told than wait; none for a service, which waits. */
  readonly failuresMax?: number;
}

/**
 * Does what the log or the registry may refuse for a while until it is taken; that stops this stage, says so in
 * `/health`, and lasts only as long as it lasts. Rejects with every error that does not pass, with one that happened
 * `failuresMax` times in a row, and while stopping after three failures.
 *
 * @param trouble what is told with the first failure, as `the log gives nothing`.
 */
export function untilTaken<T>(patience: Patience, trouble: string, operation: () => Promise<T>): Promise<T> {
  const { part, logger, health, stopping, failuresMax = Number.POSITIVE_INFINITY } = patience;
  return retry(operation, {
    canRetry: (error, failures) =>
      isTransient(error) && failures < (stopping.aborted ? FAILURES_MAX_STOPPING : failuresMax),
    onFailure: (error, failures) => {
      if (failures === 1) logger.error({ part, error }, `${trouble}; trying again`);
      health?.degraded(part, (error as Error).message);
    },
    onRecovered: () => health?.ready(part),
    signal: stopping,
  });
}
