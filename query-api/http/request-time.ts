const STARTED_AT = Symbol('parallax.startedAt');

/** A request of Node with the monotonic time at which Fastify received it. */
type TimedRequest = object & { [STARTED_AT]?: number };

/** Records that the request starts now. The time is a field of the request: a map would cost the cached path more. */
export function startRequestTimer(request: object): void {
  (request as TimedRequest)[STARTED_AT] = performance.now();
}

/** Seconds since the request started. */
export function secondsSinceStart(request: object): number {
  const startedAt = (request as TimedRequest)[STARTED_AT];
  return startedAt === undefined ? 0 : (performance.now() - startedAt) / 1_000;
}
