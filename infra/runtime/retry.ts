import { setTimeout as sleep } from 'node:timers/promises';

export interface BackoffBounds {
  readonly firstMs: number;
  readonly longestMs: number;
}

const DEFAULT_BOUNDS: BackoffBounds = { firstMs: 50, longestMs: 5_000 };
const JITTER = 0.3;

/**
 * Milliseconds before attempt `attempt + 1`: doubles from the shortest to the longest wait, by default from 50 ms to 5 s,
 * plus or minus 30 percent.
 */
export function backoffMs(
  attempt: number,
  random: () => number = Math.random,
  { firstMs, longestMs }: BackoffBounds = DEFAULT_BOUNDS,
): number {
  const base = Math.min(longestMs, firstMs * 2 ** Math.min(attempt, 16));
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
 * True if an error is transient: after a wait the same operation can succeed. An error declares it by `canRetry`: a
 * full disk, a lost broker, an unreachable registry.
 *
 * @param transientCodes codes of errors that are transient for this caller although they do not declare it:
 *   `unknown_schema` where the writer of the record has registered the schema or is about to, `store_misconfigured`
 *   where an operator can correct it.
 */
export function isTransient(error: unknown, ...transientCodes: readonly string[]): boolean {
  if (!(error instanceof Error)) return false;
  if ('canRetry' in error && error.canRetry === true) return true;
  return 'code' in error && typeof error.code === 'string' && transientCodes.includes(error.code);
}

export interface RetryOptions {
  /** True if another attempt may help after `failures` failures in a row (from 1). A limit of attempts belongs here. */
  readonly canRetry: (error: unknown, failures: number) => boolean;
  /** Called for each failure that is followed by another attempt. */
  readonly onFailure?: (error: unknown, failures: number) => void;
  /** Called once when the operation succeeds after failures. */
  readonly onRecovered?: (failures: number) => void;
  /** Ends the current wait when it aborts; `canRetry` decides if there are further attempts. */
  readonly signal?: AbortSignal;
}

/**
 * Repeats an operation until it succeeds, with growing waits. Rejects with the first error for which `canRetry` is
 * false.
 */
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
    const outcome = await attempt();
    if (outcome) {
      if (failures > 0) onRecovered?.(failures);
      return outcome.result;
    }
    await backoff(failures - 1, signal);
  }
}
