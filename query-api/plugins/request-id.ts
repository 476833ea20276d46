import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const LENGTH_MAX = 128;

/** An incoming `X-Request-Id` of 1 to 128 characters is echoed unchanged; otherwise one is made (specification, Errors). */
export function requestIdOf(request: IncomingMessage | { readonly headers: IncomingMessage['headers'] }): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && given.length > 0 && given.length <= LENGTH_MAX ? given : randomUUID();
}
