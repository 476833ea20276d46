import type { Logger } from 'pino';
import { isTransient } from '#infra/runtime/retry';
import { createHealth, type Health } from '#infra/telemetry/health';
import { OpenProblems } from '#infra/telemetry/open-problems';

/** Attempts once the sink is closing. Records that are not stored by then are read again at the next start. */
const CLOSING_ATTEMPTS = 3;

export interface PersistenceOptions {
  readonly logger: Logger;
  readonly health?: Health;
  /** Aborted when the sink is closing. */
  readonly closing: AbortSignal;
  /** Attempts before an error is thrown; without it, attempts are limited only by closing. */
  readonly attemptsMax?: number;
}

/**
 * True if a retry can help. Wrong credentials and a missing table count as well: an operator repairs them, and treating
 * their rows as dead letters would lose everything that arrives meanwhile.
 */
function canWaitFor(error: unknown): boolean {
  return isTransient(error, 'store_misconfigured');
}

/** Retries an operation until it succeeds, with growing pauses, and reports the sink as degraded meanwhile. */
export class Persistence {
  private readonly options: PersistenceOptions;
  private readonly problems: OpenProblems;

  constructor(options: PersistenceOptions) {
    this.options = options;
    // Without a health, nobody reads it.
    this.problems = new OpenProblems(options.health ?? createHealth(), 'sink');
  }

  /** Throws an error that no retry can help, and the last error when the attempts are used up. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const { logger, closing, attemptsMax = Number.POSITIVE_INFINITY } = this.options;
    let failed = 0;
    const result = await this.problems.retry(
      work,
      (error) => (error instanceof Error ? error.message : String(error)),
      {
        canRetry: (error, failures) => {
          const limit = closing.aborted ? Math.min(CLOSING_ATTEMPTS, attemptsMax) : attemptsMax;
          return canWaitFor(error) && failures < limit;
        },
        onFailure: (error, failures) => {
          failed = failures;
          if (failures === 1) logger.error({ error }, 'the sink cannot read or write, retrying');
        },
        signal: closing,
      },
    );
    if (failed > 0) logger.info({ attempts: failed + 1 }, 'an operation of the sink succeeds again');
    return result;
  }
}
