/** Query parameters that a path does not have. A misspelled one that is ignored would give a response to another request. */
import { ApiError } from '../errors.ts';

const NAME_CHARACTERS_MAX = 100;

/** What an error states of a parameter that the path does not have. */
export function unknownQueryParameter(accepted: readonly string[]): string {
  const hint = accepted.length === 0 ? 'this route has no query parameters' : `accepted: ${accepted.join(', ')}`;
  return `unknown query parameter (${hint})`;
}

/**
 * The error for a URL of a path without parameters: 400 with the name of each parameter; null if it has none. One without
 * a name, as in `?=`, means nothing.
 */
export function queryRefusal(url: string): ApiError | null {
  const at = url.indexOf('?');
  if (at === -1) return null;
  const names = new Set(new URLSearchParams(url.slice(at)).keys());
  names.delete('');
  if (names.size === 0) return null;
  const unknown = unknownQueryParameter([]);
  const faults = [...names].map((name) => `${name.slice(0, NAME_CHARACTERS_MAX)}: ${unknown}`);
  return new ApiError('validation_failed', faults.join('; '));
}
