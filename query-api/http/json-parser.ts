import type { FastifyInstance } from 'fastify';

/**
 * Bodies of `application/json`. An empty one is none: clients send the type with a DELETE too. Keys that would reach an
 * object's prototype are refused.
 */
export function readJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else parse(request, body as string, done);
  });
}
