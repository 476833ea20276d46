import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isRequestId } from '#schemas/http/request-id';

/** The `X-Request-Id` of the client if it is valid, otherwise a generated one (specification, Errors). */
export function requestIdOf(request: IncomingMessage | { readonly headers: IncomingMessage['headers'] }): string {
  const header = request.headers['x-request-id'];
  return typeof header === 'string' && isRequestId(header) ? header : randomUUID();
}
