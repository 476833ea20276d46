/** Builds the REST application without listening, so that tests reach it by injection. */
import compress from '@fastify/compress';
import cors from '@fastify/cors';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Authenticator } from '#infra/control/authenticator';
import { ApiError, type ErrorCode } from '#schemas/errors';
import { AnswerCache, type CachedAnswer } from './plugins/answer-cache.ts';
import { authenticate } from './plugins/authenticate.ts';
import { requestIdOf } from './plugins/request-id.ts';
import { validate } from './plugins/validate.ts';
import { Answer, type Dependencies, type Route } from './route.ts';
import { ROUTES } from './routes/index.ts';

const BODY_BYTES_MAX = 1024 * 1024;
const REQUEST_TIMEOUT_MS = 30_000;
const COMPRESS_ABOVE_BYTES = 1024;
const PATH_PARAMETER_LENGTH_MAX = 256;
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

export interface AppDependencies extends Dependencies {
  readonly authenticator: Authenticator;
  readonly logger: Logger;
}

export async function buildApp(dependencies: AppDependencies): Promise<FastifyInstance> {
  const { logger, metrics, settings } = dependencies;
  const app = Fastify({
    logger: false,
    bodyLimit: BODY_BYTES_MAX,
    requestTimeout: REQUEST_TIMEOUT_MS,
    genReqId: requestIdOf,
    routerOptions: { maxParamLength: PATH_PARAMETER_LENGTH_MAX },
    frameworkErrors: (error, request, reply) => sendError(reply as FastifyReply, request.id, toApiError(error)),
  });
  await app.register(compress, { threshold: COMPRESS_ABOVE_BYTES, encodings: ['br', 'gzip'] });
  if (settings.corsOrigins)
    await app.register(cors, { origin: settings.corsOrigins === '*' ? '*' : settings.corsOrigins.split(',') });
  app.addHook('onResponse', async (request, reply) => {
    const labels = { route: request.routeOptions.url ?? 'unknown', status: String(reply.statusCode) };
    metrics.httpRequests.observe(labels, reply.elapsedTime / 1_000);
  });
  app.setErrorHandler((error, request, reply) => {
    const known = toApiError(error);
    if (known.status >= 500)
      logger.error({ error, requestId: request.id, route: request.routeOptions.url }, 'a request failed');
    return sendError(reply, request.id, known);
  });
  app.setNotFoundHandler((request, reply) => sendError(reply, request.id, new ApiError('not_found', 'no such route')));
  app.get('/metrics', async (_request, reply) => {
    reply.header('content-type', metrics.registry.contentType);
    return metrics.registry.metrics();
  });
  const cache = new AnswerCache();
  for (const route of ROUTES)
    app.route({ method: route.method, url: route.path, handler: serve(route, dependencies, cache) });
  refuseOtherMethods(app);
  return app;
}

/** The handler of a route: who asks, what is asked, a kept answer or a new one. */
function serve(route: Route, dependencies: AppDependencies, cache: AnswerCache) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const key = authenticate(dependencies.authenticator, route, request.headers.authorization);
    if (key instanceof Promise) await key;
    const cacheKey = `${route.method} ${request.url}`;
    const kept = route.cacheTtlMs > 0 ? cache.get(cacheKey) : undefined;
    if (kept) return send(reply, request.id, kept);
    const work = () => answer(route, dependencies, request);
    return send(
      reply,
      request.id,
      route.cacheTtlMs > 0 ? await cache.share(cacheKey, route.cacheTtlMs, work) : await work(),
    );
  };
}

async function answer(route: Route, dependencies: Dependencies, request: FastifyRequest): Promise<CachedAnswer> {
  const input = { params: validate(route.params, request.params), query: validate(route.query, request.query) };
  const result = await route.handle(input, dependencies);
  if (result instanceof Answer)
    return { statusCode: result.statusCode, body: Buffer.from(JSON.stringify(result.body)) };
  return { statusCode: 200, body: Buffer.from(JSON.stringify(result)) };
}

function send(reply: FastifyReply, requestId: string, { statusCode, body }: CachedAnswer): FastifyReply {
  return reply
    .code(statusCode)
    .header('x-request-id', requestId)
    .header('content-type', 'application/json; charset=utf-8')
    .send(body);
}

function sendError(reply: FastifyReply, requestId: string, error: ApiError): FastifyReply {
  if (error.retryAfterSeconds !== null) reply.header('retry-after', String(error.retryAfterSeconds));
  const { code, message, status } = error;
  return send(reply, requestId, {
    statusCode: status,
    body: Buffer.from(JSON.stringify({ error: { code, message, requestId } })),
  });
}

/** Fastify's own refusals in the words of the specification; anything unforeseen is a fault of the service. */
function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const { statusCode, code, message } = error as { statusCode?: number; code?: string; message?: string };
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new ApiError('validation_failed', 'body: is larger than 1 MiB', { status: 413 });
  if (code === 'FST_ERR_MAX_PARAM_LENGTH' || statusCode === 404) return new ApiError('not_found', 'no such route');
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new ApiError('bad_request', message ?? 'bad request');
  return new ApiError('internal_error', 'the service failed; quote the requestId when you report it', { cause: error });
}

/** Known paths under other methods answer 405 rather than 404. */
function refuseOtherMethods(app: FastifyInstance): void {
  const byPath = new Map<string, Set<string>>();
  for (const { path, method } of ROUTES) byPath.set(path, (byPath.get(path) ?? new Set()).add(method));
  for (const [url, allowed] of byPath) {
    const others = METHODS.filter((method) => !allowed.has(method));
    app.route({
      method: others,
      url,
      handler: (request, reply) => {
        reply.header('allow', [...allowed].join(', '));
        const code: ErrorCode = 'method_not_allowed';
        return sendError(
          reply,
          request.id,
          new ApiError(code, `${request.method} is not allowed here; allowed: ${[...allowed].join(', ')}`),
        );
      },
    });
  }
}
