/** Polls `/health` of a service that is starting. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { SpawnedProgram } from '../threads/start-process.ts';

const POLL_MS = 20;
const RESPONSE_TIMEOUT_MS = 5_000;
/** A role that has not started is missing from the parts, which does not cause a 503. */
const ROLES = ['query-api', 'stream-gateway', 'processors', 'ingest'];

/** True if `/health` on this port reports a ready service within the timeout. Throws if the service exits. */
export async function isReadyWithin(
  service: Pick<SpawnedProgram, 'exitErrors'>,
  port: number,
  timeoutMs: number,
): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (performance.now() < deadline) {
    if (await isReady(port)) return true;
    const exitErrors = service.exitErrors();
    if (exitErrors !== null) throw new Error(`the service exited before it was ready: ${exitErrors}`);
    await sleep(POLL_MS);
  }
  return false;
}

/** Also false if there is no response, since the service may not listen yet or be busy. */
async function isReady(port: number): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/health`, {
      signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
    });
    const { parts } = (await response.json()) as { readonly parts: object };
    return response.status === 200 && ROLES.every((role) => Object.hasOwn(parts, role));
  } catch {
    return false;
  }
}
