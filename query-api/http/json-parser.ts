import type { FastifyInstance } from 'fastify';

/**
 * Adds the parser of `application/json`. An empty body counts as no body, since clients send the type with a DELETE
 * too. Keys that would reach an object's prototype are refused.
 */
export function addJsonParser(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else parse(request, body as string, done);
  });
}
