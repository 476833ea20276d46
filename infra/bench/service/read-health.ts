/** Watches `/health` of a service that is starting, from before it listens. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { SpawnedProgram } from '../threads/start-process.ts';

const POLL_MS = 20;
const ANSWER_TIMEOUT_MS = 5_000;
/** A role that has not begun yet is missing among the parts, and does not make the answer a 503. */
const ROLES = ['query-api', 'stream-gateway', 'processors', 'ingest'];

/** Whether `/health` of a service on this port says that all is well before the time is over. Throws when the service ends. */
export async function isReadyWithin(
  service: Pick<SpawnedProgram, 'ending'>,
  port: number,
  timeoutMs: number,
): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (performance.now() < deadline) {
    if (await isReady(port)) return true;
    const ending = service.ending();
    if (ending !== null) throw new Error(`the service ended before it was ready: ${ending}`);
    await sleep(POLL_MS);
  }
  return false;
}

/** False while nobody answers as well: it does not listen yet, or is busy. */
async function isReady(port: number): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/health`, { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
    const { parts } = (await response.json()) as { readonly parts: object };
    return response.status === 200 && ROLES.every((role) => Object.hasOwn(parts, role));
  } catch {
    return false;
  }
}
