import { parseJsonOrNull } from '#schemas/domain/json-fields';
import { ApiError } from '#schemas/errors';
import { PROVIDER } from './read-info.ts';

/** Characters of a response that an error repeats. */
const ECHOED_CHARACTERS_MAX = 2_048;

/** The error for a response that does not contain what was requested; of venue_a by default. */
export function unusableResponse(message: string, native: unknown, cause: Error, provider = PROVIDER): ApiError {
  const text = JSON.stringify(native).slice(0, ECHOED_CHARACTERS_MAX);
  return new ApiError('upstream_unavailable', message, {
    upstream: { provider, status: 200, body: parseJsonOrNull(text) ?? (native === null ? null : text) },
    cause,
  });
}
