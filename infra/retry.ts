import { setTimeout as sleep } from 'node:timers/promises';

const FIRST_MS = 50;
const LONGEST_MS = 5_000;
const JITTER = 0.3;

/** Milliseconds before attempt `attempt + 1`: doubles from 50 ms to 5 s, plus or minus 30 percent. */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
  const base = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt, 16));
  return base * (1 + JITTER * (2 * random() - 1));
}

/** Waits before the next attempt; `signal` ends the wait early. */
export async function backoff(attempt: number, signal?: AbortSignal): Promise<void> {
  if (!signal || signal.aborted) return sleep(backoffMs(attempt));
  try {
    await sleep(backoffMs(attempt), undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/**
 * Whether waiting can help. An error says of itself that it can go away: a full disk, a lost broker, a registry that is
 * away.
 *
 * @param passingHere codes of errors that do so here although they do not say it: `unknown_schema` where the writer of
 * the record has registered the schema or is about to, `store_misconfigured` where an operator mends it.
 */
export function mayPass(error: unknown, ...passingHere: readonly string[]): boolean {
  if (!(error instanceof Error)) return false;
  if ('canRetry' in error && error.canRetry === true) return true;
  return 'code' in error && typeof error.code === 'string' && passingHere.includes(error.code);
}

export interface RetryOptions {
  /** Whether another attempt may help, after so many failures in a row (from 1). The limit of a retry stands here. */
  readonly canRetry: (error: unknown, failures: number) => boolean;
  /** Told of each failure that another attempt follows. */
  readonly onFailure?: (error: unknown, failures: number) => void;
  /** Told once when it succeeds after failures. */
  readonly onRecovered?: (failures: number) => void;
  /** Cuts the pause at hand short when it aborts; whether there is an attempt after the next is for `canRetry` to say. */
  readonly signal?: AbortSignal;
}

/** Does a thing until it succeeds, with growing pauses. Rejects with the first error that `canRetry` does not pass. */
export async function retry<T>(operation: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { canRetry, onFailure, onRecovered, signal } = options;
  let failures = 0;
  const attempt = async (): Promise<{ readonly result: T } | null> => {
    try {
      return { result: await operation() };
    } catch (error) {
      failures += 1;
      if (!canRetry(error, failures)) throw error;
      onFailure?.(error, failures);
      return null;
    }
  };
  for (;;) {
    const done = await attempt();
    if (done) {
      if (failures > 0) onRecovered?.(failures);
      return done.result;
    }
    await backoff(failures - 1, signal);
  }
}
