import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/**
 * 1 to 128 characters of printable ASCII. Node reads header bytes as Latin-1, so that anything else would look different
 * in the body of an error than what was sent.
 */
const REQUEST_ID = /^[\x20-\x7e]{1,128}$/;

/** An incoming `X-Request-Id` is echoed unchanged where it can be; otherwise one is made (specification, Errors). */
export function requestIdOf(request: IncomingMessage | { readonly headers: IncomingMessage['headers'] }): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}
