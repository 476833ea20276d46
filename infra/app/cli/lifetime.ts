/** Ends the service on a signal or when a part fails permanently, and limits how long closing may take. */
import type { Logger } from 'pino';
import type { Running } from '../../runtime/context.ts';
import type { Health, PartFailedError } from '../../telemetry/health.ts';

/**
 * Longest time for closing, so that the process ends within 10 s. After it the process is killed with parts still open,
 * which the log and the store survive.
 */
const CLOSE_TIMEOUT_MS = 9_000;

/** Closing a part for longer is logged. */
const SLOW_MS = 1_000;

/** A started part, with its name for the log. */
export interface NamedPart {
  readonly name: string;
  readonly running: Running;
}

export interface LifetimeOptions {
  readonly logger: Logger;
  readonly health: Health;
  readonly closeTimeoutMs?: number;
  /** Source of signals; the process itself, except in tests. */
  readonly signals?: Pick<NodeJS.EventEmitter, 'on'>;
  /** Ends the process immediately; replaced in tests. */
  readonly kill?: () => void;
  /** Ends the process with its exit code; replaced in tests. */
  readonly exit?: () => void;
}

export interface Lifetime {
  /** Resolves when the process should end: with null on SIGINT or SIGTERM, or with the error of a failed part. */
  readonly shutdown: Promise<PartFailedError | null>;
  readonly isShuttingDown: () => boolean;
  /**
   * Closes the parts in reverse order, even if one fails to close; false if one failed. It logs which ones took long. The
   * process is killed
   * `closeTimeoutMs` after the first of a signal, a failure and this call, even while parts are still starting.
   */
  close(parts: readonly NamedPart[]): Promise<boolean>;
}

/** Time for handles that closed parts left open, such as a timer. Nothing depends on them any more. */
const HANDLES_TIMEOUT_MS = 1_000;

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
  const { signals = process, kill = killOwnProcess, exit = () => process.exit() } = options;
  let deadline: NodeJS.Timeout | null = null;
  let closing: string | null = null;
  const startDeadline = () => {
    deadline ??= setTimeout(() => {
      logger.fatal({ part: closing }, `closing took longer than ${timeoutMs / 1_000} s; exiting with parts still open`);
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
      for (const { name: part, running } of [...parts].reverse()) {
        closing = part;
        const began = performance.now();
        try {
          await running.close();
        } catch (error) {
          logger.error({ error, part }, 'a part failed to close');
          clean = false;
        }
        const ms = Math.round(performance.now() - began);
        logger[ms > SLOW_MS ? 'info' : 'debug']({ part, ms }, 'closed a part');
      }
      if (deadline) clearTimeout(deadline);
      const end = () => {
        const handles = process.getActiveResourcesInfo();
        logger.warn({ handles }, 'all parts are closed, but these handles are open; the process ends without them');
        exit();
      };
      setTimeout(end, HANDLES_TIMEOUT_MS).unref();
      return clean;
    },
  };
}
