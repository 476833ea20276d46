import { METHODS, maxHeaderSize } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import findMyWay from 'find-my-way';
import { ApiError } from '#schemas/errors';
import type { ErrorSender } from './errors.ts';
import { noteRoute } from './route-label.ts';

/** All methods that Node's parser accepts, except CONNECT, which never reaches an application. */
const KNOWN_METHODS = METHODS.filter((method) => method !== 'CONNECT');

/** Makes known paths answer 405 with `Allow`, rather than 404, for undeclared methods (contract, REST). */
export function refuseOtherMethods(
  app: FastifyInstance,
  errors: ErrorSender,
  routes: readonly { readonly path: string; readonly method: string }[],
): void {
  for (const method of KNOWN_METHODS) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
  const byPath = new Map<string, Set<string>>();
  for (const { path, method } of routes) {
    const methods = byPath.get(path) ?? new Set<string>();
    byPath.set(path, methods.add(method));
    // Fastify serves HEAD wherever it serves GET.
    if (method === 'GET') methods.add('HEAD');
  }
  const refuse = (request: FastifyRequest, reply: FastifyReply, path: string) => {
    const allowed = [...byPath.get(path)!].join(', ');
    const error = new ApiError('method_not_allowed', `${request.method} is not allowed here; allowed: ${allowed}`);
    errors.send(request, reply, error, ['allow', allowed]);
  };
  // Fastify's router, with the declared paths alone.
  const paths = findMyWay({ maxParamLength: maxHeaderSize });
  for (const path of byPath.keys()) paths.on('GET', path, () => {}, path);
  // Where other origins are allowed, there is a route for OPTIONS on any path.
  const used = new Set(['OPTIONS', ...[...byPath.values()].flatMap((methods) => [...methods])]);
  for (const [url, methods] of byPath)
    app.route({
      // Without them a path with a parameter would serve these methods here.
      method: [...used].filter((method) => !methods.has(method)),
      url,
      onRequest: (request, reply) => refuse(request, reply, url),
      handler: () => {},
    });
  // No path has the other methods. Routes for them would be thousands, which take a tenth of a second to add.
  // Runs before the body is read: the error is 405, even if the body is invalid too.
  app.addHook('onRequest', (request, reply, next) => {
    const path = request.is404 ? (paths.find('GET', request.url)?.store as string | undefined) : undefined;
    if (path === undefined) return next();
    noteRoute(request, path);
    refuse(request, reply, path);
  });
}
