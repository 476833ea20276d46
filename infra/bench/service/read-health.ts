/** Watches `/health` of a service that is starting, from before it listens. */
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 20;
const ANSWER_TIMEOUT_MS = 5_000;
/** A role that has not begun yet is missing among the parts, and does not make the answer a 503. */
const ROLES = ['query-api', 'stream-gateway', 'processors', 'ingest'];

export interface HealthSeen {
  /** It answered 200, and every role has begun. */
  readonly isOk: boolean;
  /** How far a recording is played; null where none is. */
  readonly playback: string | null;
  readonly stagesBehind: number;
}

export interface HealthAsked {
  readonly isThere: (health: HealthSeen) => boolean;
  readonly timeoutMs: number;
}

/** Whether the health of the service on this port is as asked before the time is over. */
export async function healthWithin(port: number, { isThere, timeoutMs }: HealthAsked): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (performance.now() < deadline) {
    const health = await readHealth(port);
    if (health !== null && isThere(health)) return true;
    await sleep(POLL_MS);
  }
  return false;
}

/** Null while nobody answers: it does not listen yet, or is busy. */
async function readHealth(port: number): Promise<HealthSeen | null> {
  let response: Response;
  let body: { readonly parts: object; readonly playback?: string; readonly backlog?: readonly unknown[] };
  try {
    response = await fetch(`http://127.0.0.1:${port}/health`, { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
    body = (await response.json()) as typeof body;
  } catch {
    return null;
  }
  return {
    isOk: response.status === 200 && ROLES.every((role) => Object.hasOwn(body.parts, role)),
    playback: body.playback ?? null,
    stagesBehind: body.backlog?.length ?? 0,
  };
}
