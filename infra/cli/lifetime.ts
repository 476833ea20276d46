/** When the service ends, and that it does: at a signal or when a part stopped for good, and within a limited time. */
import type { Logger } from 'pino';
import type { Running } from '../context.ts';
import type { Health, PartFailedError } from '../telemetry/health.ts';

/** What closing may take; then the process ends with what is open. The log and the store outlive that. */
const CLOSE_TIMEOUT_MS = 8_000;

export interface LifetimeOptions {
  readonly logger: Logger;
  readonly health: Health;
  readonly closeTimeoutMs?: number;
  /** Where signals come from, and how the process ends at once; the process itself, except in tests. */
  readonly signals?: Pick<NodeJS.EventEmitter, 'on'>;
  readonly exit?: (code: number) => void;
}

export interface Lifetime {
  /** Resolves when the process is to end: with null at SIGINT or SIGTERM, or with the part that stopped for good. */
  readonly over: Promise<PartFailedError | null>;
  readonly isOver: () => boolean;
  /**
   * Closes parts, the last one first, also after a fault of one; false when one did not close cleanly. However it is
   * called, and already while parts still start, the process ends `closeTimeoutMs` after its end has begun.
   */
  close(parts: readonly Running[]): Promise<boolean>;
}

export function beginLifetime(options: LifetimeOptions): Lifetime {
  const { logger, health, closeTimeoutMs: timeoutMs = CLOSE_TIMEOUT_MS } = options;
  const { signals = process, exit = process.exit } = options;
  let deadline: NodeJS.Timeout | null = null;
  const begin = () => {
    deadline ??= setTimeout(() => {
      logger.fatal(`not closed within ${timeoutMs / 1_000} s; the process ends as it is`);
      exit(1);
    }, timeoutMs);
  };
  const signalled = new Promise<null>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      signals.on(signal, () => {
        // Repeated ones never cut the closing short.
        logger.info({ signal }, deadline ? 'already closing' : 'closing');
        begin();
        resolve(null);
      });
    }
  });
  const failed = health.failure.then((failure) => {
    if (!deadline) logger.fatal({ part: failure.part, error: failure.cause }, `${failure.message}; the process ends`);
    begin();
    return failure;
  });
  return {
    over: Promise.race([signalled, failed]),
    isOver: () => deadline !== null,
    async close(parts) {
      begin();
      let clean = true;
      for (const part of [...parts].reverse()) {
        try {
          await part.close();
        } catch (error) {
          logger.error({ error }, 'a part did not close cleanly');
          clean = false;
        }
      }
      // From here on it only ends a process that something of a part keeps alive.
      deadline?.unref();
      return clean;
    },
  };
}
