import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isRequestId } from '#schemas/http/request-id';

/** An incoming `X-Request-Id` is echoed unchanged where it can be; otherwise one is made (specification, Errors). */
export function requestIdOf(request: IncomingMessage | { readonly headers: IncomingMessage['headers'] }): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && isRequestId(given) ? given : randomUUID();
}
