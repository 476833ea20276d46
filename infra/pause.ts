import { setTimeout as sleep } from 'node:timers/promises';

/** Waits; false when the signal ended the wait. Keeps no process alive. */
export async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(ms, undefined, { signal, ref: false });
    return true;
  } catch (error) {
    if (!signal.aborted) throw error;
    return false;
  }
}
