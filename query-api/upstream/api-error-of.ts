import { LogError } from '#infra/log/log';
import { RequestError } from '#infra/requests/request-error';
import { parseJsonOrNull } from '#schemas/domain/json-fields';
import { ApiError } from '#schemas/errors';

/** `Retry-After` where ingest states none. */
const RETRY_AFTER_SECONDS = 5;
const TOO_MANY_REQUESTS = 429;

/** The error for a client whose read of a venue failed (contract, Reads from the venue). */
export function apiErrorOf(provider: string, error: unknown): unknown {
  if (error instanceof LogError) return unavailable(provider, error);
  if (!(error instanceof RequestError)) return error;
  const { code, upstream, retryAfterMs } = error;
  switch (code) {
    case 'rate_limited':
    case 'busy':
    case 'expired':
      return new ApiError('upstream_rate_limited', rateLimitMessage(upstream.status), {
        retryAfterSeconds: retryAfterMs === null ? RETRY_AFTER_SECONDS : Math.ceil(retryAfterMs / 1_000),
        upstream: { provider, status: upstream.status, body: bodyOf(upstream.body) },
      });
    case 'upstream_failed':
    case 'unavailable':
    case 'late':
      return unavailable(provider, error, { status: upstream.status, body: bodyOf(upstream.body) });
  }
}

/** @param status of the venue's response; null if no request was sent. */
function rateLimitMessage(status: number | null): string {
  return status === TOO_MANY_REQUESTS
    ? 'the venue refused this read because it received too many requests; try again'
    : 'the limits of the venue leave no room for this read; try again';
}

function unavailable(
  provider: string,
  cause: unknown,
  upstream = { status: null as number | null, body: null as unknown },
) {
  return new ApiError('upstream_unavailable', 'the venue returned nothing that can be served', {
    upstream: { provider, ...upstream },
    cause,
  });
}

/** A body as JSON where it is JSON. */
function bodyOf(text: string | null): unknown {
  if (text === null) return null;
  return parseJsonOrNull(text) ?? text;
}
