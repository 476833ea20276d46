/** Reads answers that adapters need in order to subscribe. Processors interpret everything else. */
import { UpstreamError } from './errors.ts';

/** Parses a response. Throws an `UpstreamError` that names `what` if it is not JSON. */
export function parseAnswer(bytes: Buffer, what: string): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch (cause) {
    throw new UpstreamError('upstream_malformed', `the response to ${what} is not JSON`, { cause });
  }
}

/** A number for ranking only, not for calculation; 0 for anything that is not a number. */
export function asMagnitude(value: unknown): number {
  const number = typeof value === 'string' || typeof value === 'number' ? Number(value) : 0;
  return Number.isFinite(number) ? number : 0;
}
