import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for `ms`; false if the signal ended the wait. Does not keep the process running. */
export async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(ms, undefined, { signal, ref: false });
    return true;
  } catch (error) {
    if (!signal.aborted) throw error;
    return false;
  }
}
