/** Ends the service on a signal or when a part fails permanently, and limits how long closing may take. */
import type { Logger } from 'pino';
import type { Running } from '../../runtime/context.ts';
import type { Health, PartFailedError } from '../../telemetry/health.ts';

/** Longest time for closing. After it the process is killed with parts still open, which the log and the store survive. */
const CLOSE_TIMEOUT_MS = 8_000;

export interface LifetimeOptions {
  readonly logger: Logger;
  readonly health: Health;
  readonly closeTimeoutMs?: number;
  /** Source of signals; the process itself, except in tests. */
  readonly signals?: Pick<NodeJS.EventEmitter, 'on'>;
  /** Ends the process immediately; replaced in tests. */
  readonly kill?: () => void;
}

export interface Lifetime {
  /** Resolves when the process should end: with null on SIGINT or SIGTERM, or with the error of a failed part. */
  readonly shutdown: Promise<PartFailedError | null>;
  readonly isShuttingDown: () => boolean;
  /**
   * Closes the parts in reverse order, even if one fails to close; false if one failed. The process is killed
   * `closeTimeoutMs` after the first of a signal, a failure and this call, even while parts are still starting.
   */
  close(parts: readonly Running[]): Promise<boolean>;
}

/** Exit code of a killed process, as shells and container engines state it. */
const KILLED = 137;

/** `process.exit` alone would run the exit handlers of the store's engine, which wait for its threads or crash. */
function killOwnProcess(): void {
  process.kill(process.pid, 'SIGKILL');
  // The kernel ignores that signal from the first process of a container.
  process.exit(KILLED);
}

export function startLifetime(options: LifetimeOptions): Lifetime {
  const { logger, health, closeTimeoutMs: timeoutMs = CLOSE_TIMEOUT_MS } = options;
  const { signals = process, kill = killOwnProcess } = options;
  let deadline: NodeJS.Timeout | null = null;
  let isClosed = false;
  const startDeadline = () => {
    deadline ??= setTimeout(() => {
      const what = isClosed ? 'all parts are closed, but the process has not ended' : 'exiting with parts still open';
      logger.fatal(`closing took longer than ${timeoutMs / 1_000} s; ${what}`);
      kill();
    }, timeoutMs);
  };
  const signalled = new Promise<null>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      signals.on(signal, () => {
        // A repeated signal does not shorten the closing.
        logger.info({ signal }, deadline ? 'already closing' : 'closing');
        startDeadline();
        resolve(null);
      });
    }
  });
  const failed = health.failure.then((failure) => {
    if (!deadline) logger.fatal({ part: failure.part, error: failure.cause }, `${failure.message}; shutting down`);
    startDeadline();
    return failure;
  });
  return {
    shutdown: Promise.race([signalled, failed]),
    isShuttingDown: () => deadline !== null,
    async close(parts) {
      startDeadline();
      let clean = true;
      for (const part of [...parts].reverse()) {
        try {
          await part.close();
        } catch (error) {
          logger.error({ error }, 'a part failed to close');
          clean = false;
        }
      }
      isClosed = true;
      // From here on the timer only matters if a handle of a part still holds the process open.
      deadline?.unref();
      return clean;
    },
  };
}
