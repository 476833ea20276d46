import { parseJsonOrNull } from '#schemas/domain/json-fields';
import { ApiError } from '#schemas/errors';
import { PROVIDER } from './read-info.ts';

/** Bytes of a response that an error repeats (contract, Reads from the venue). */
const ECHOED_BYTES_MAX = 2_048;

/** The error for a response that does not contain what was requested; of venue_a by default. */
export function unusableResponse(message: string, native: unknown, cause?: Error, provider = PROVIDER): ApiError {
  // A character that is cut in two is left out.
  const text = Buffer.from(JSON.stringify(native))
    .subarray(0, ECHOED_BYTES_MAX)
    .toString()
    .replace(/\uFFFD$/, '');
  return new ApiError('upstream_unavailable', message, {
    upstream: { provider, status: 200, body: parseJsonOrNull(text) ?? (native === null ? null : text) },
    cause,
  });
}
