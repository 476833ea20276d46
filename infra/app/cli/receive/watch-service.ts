import { pause } from '../../../runtime/pause.ts';
import { timeLimit } from '../../../runtime/time-limit.ts';

const POLL_MS = 10_000;
const REQUEST_TIMEOUT_MS = 10_000;
const FAILURES_MAX = 6;

/**
 * Resolves when six requests in a row got no response, or once `signal` aborts. Any response counts as one.
 * @param rest URL of the service.
 */
export async function untilUnreachable(rest: string, signal: AbortSignal, pollMs = POLL_MS): Promise<void> {
  let failures = 0;
  while (failures < FAILURES_MAX && !signal.aborted) {
    try {
      await fetch(`${rest}/health`, { method: 'HEAD', signal: timeLimit(REQUEST_TIMEOUT_MS, signal) });
      failures = 0;
    } catch {
      failures += 1;
    }
    await pause(pollMs, signal);
  }
}
