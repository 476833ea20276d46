import { METHODS } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '#schemas/errors';
import type { ErrorSender } from './errors.ts';

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
  for (const [url, methods] of byPath) {
    const allowed = [...methods].join(', ');
    app.route({
      method: KNOWN_METHODS.filter((method) => !methods.has(method)),
      url,
      // Runs before the body is read: the error is 405, even if the body is invalid too.
      onRequest: (request, reply) => {
        const error = new ApiError('method_not_allowed', `${request.method} is not allowed here; allowed: ${allowed}`);
        errors.send(request, reply, error, ['allow', allowed]);
      },
      handler: () => {},
    });
  }
}
