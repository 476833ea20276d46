import type { Logger } from 'pino';
import { mayPass, retry } from '#infra/retry';
import type { Health } from '#infra/telemetry/health';

/** Attempts that are still made once the sink is closing: what is not kept then is read again at the next start. */
const CLOSING_ATTEMPTS = 3;

export interface PersistenceOptions {
  readonly logger: Logger;
  readonly health?: Health;
  /** Aborted when the sink is closing. */
  readonly closing: AbortSignal;
  /** Attempts before an error is passed on; without it there is no limit but closing. */
  readonly attemptsMax?: number;
}

/**
 * Whether waiting can help. Wrong credentials or a missing table count too: they are mended by an operator, and giving
 * rows up for them would lose everything that arrives meanwhile.
 */
function mayPassHere(error: unknown): boolean {
  return mayPass(error, 'store_misconfigured');
}

/** Does a thing until it succeeds, with growing pauses, and tells in the health of the sink that it waits. */
export class Persistence {
  private readonly options: PersistenceOptions;

  constructor(options: PersistenceOptions) {
    this.options = options;
  }

  /** Passes on what will not pass, and the last error when the attempts are used up. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const { logger, health, closing, attemptsMax = Number.POSITIVE_INFINITY } = this.options;
    return retry(work, {
      canRetry: (error, failures) => {
        const limit = closing.aborted ? Math.min(CLOSING_ATTEMPTS, attemptsMax) : attemptsMax;
        return mayPassHere(error) && failures < limit;
      },
      onFailure: (error, failures) => {
        if (failures === 1) logger.error({ error }, 'the sink cannot write; trying again');
        health?.degraded('sink', error instanceof Error ? error.message : String(error));
      },
      onRecovered: (failures) => {
        logger.info({ attempts: failures + 1 }, 'the sink goes on');
        health?.ready('sink');
      },
      signal: closing,
    });
  }
}
