/** Builds the REST application without listening, so that tests can inject requests. */
import { maxHeaderSize } from 'node:http';
import cors from '@fastify/cors';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Authenticator } from '#infra/control/authenticator';
import type { ControlReplica } from '#infra/control/control-replica';
import type { RequestClient } from '#infra/requests/request-client';
import type { Metrics } from '#infra/telemetry/metrics';
import type { KeyUses } from '#schemas/domain/quota/key-uses';
import type { UsageCounts } from '#schemas/domain/quota/usage-counts';
import { queryRefusal } from '#schemas/http/unknown-query';
import { serveDocs } from './docs/serve-docs.ts';
import { CommandRateLimiter } from './http/command-rate-limiter.ts';
import { InFlightKeys } from './http/commands.ts';
import { ErrorSender, handleClientError, handleErrors, handleProtocolErrors } from './http/errors.ts';
import { addJsonParser } from './http/json-parser.ts';
import { createKeyGenerator } from './http/key-generator.ts';
import { Meter } from './http/meter.ts';
import { refuseOtherMethods } from './http/refuse-methods.ts';
import { requestIdOf } from './http/request-id.ts';
import { startRequestTimer } from './http/request-time.ts';
import { ResponseCache } from './http/response-cache.ts';
import { Sender } from './http/send.ts';
import { serveRoute } from './http/serve-route.ts';
import { servedDocuments } from './openapi/served-documents.ts';
import { type PortalOptions, servePortal } from './pages/serve-portal.ts';
import { ROUTES } from './routes/index.ts';
import type { Dependencies, Route } from './routes/route.ts';
import type { Sandbox } from './sandbox/open-sandbox.ts';

const BODY_BYTES_MAX = 1024 * 1024;
const REQUEST_TIMEOUT_MS = 30_000;
/** Interval of the check for requests that exceed it. */
const REQUEST_CHECK_MS = 1_000;
const METRICS_PATH = '/metrics';
/** Response headers that a page of another origin may read. */
const EXPOSED_HEADERS = [
  'x-request-id',
  'retry-after',
  'x-quota-sku',
  'x-quota-limit',
  'x-quota-remaining',
  'x-quota-reset',
  'ratelimit',
  'ratelimit-policy',
  'idempotent-replayed',
  'x-svc-sandbox',
  'x-fetched-at',
  'etag',
  'age',
];

export interface AppDependencies
  extends Omit<Dependencies, 'keyGenerator' | 'usage' | 'keyUses' | 'ingest' | 'turnOf'> {
  /** Sends requests to ingest. */
  readonly requests: Pick<RequestClient, 'send'>;
  readonly control: Pick<ControlReplica, 'state' | 'isCurrent' | 'submit'>;
  readonly sandbox: Sandbox;
  /** Usage of organizations in the current windows. */
  readonly usage: UsageCounts;
  /** When keys were last used. */
  readonly keyUses: KeyUses;
  readonly authenticator: Authenticator;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Comma-separated origins, `*`, or null for none (PARALLAX_CORS_ORIGINS). */
  readonly corsOrigins: string | null;
  /** The portal; null if it is not served (PARALLAX_PORTAL). */
  readonly portal: PortalOptions | null;
  /** True once the views hold everything that the log held at the start. */
  readonly isReady: () => boolean;
  /** Unix ms, for the windows of quotas. */
  readonly wallNow?: () => number;
  /** Monotonic ms, for the response cache. */
  readonly now?: () => number;
  readonly responseTimeoutMs?: number;
  /** Time limit for receiving a complete request, ms; 30 s by default. */
  readonly requestTimeoutMs?: number;
}

/** @param routes are all routes of the service by default; tests pass unlisted. */
export async function buildApp(
  dependencies: AppDependencies,
  routes: readonly Route[] = ROUTES,
): Promise<FastifyInstance> {
  const { logger, metrics, corsOrigins, authenticator, control, isReady, responseTimeoutMs } = dependencies;
  const { portal, requestTimeoutMs = REQUEST_TIMEOUT_MS } = dependencies;
  const sender = new Sender({ metrics, pluginHeaders: corsOrigins !== null });
  const errors = new ErrorSender(logger, sender);
  const app = Fastify({
    logger: false,
    bodyLimit: BODY_BYTES_MAX,
    requestTimeout: requestTimeoutMs,
    // With a greater `headersTimeout`, as by default, Node would apply that to the whole request instead.
    http: {
      requireHostHeader: false,
      headersTimeout: requestTimeoutMs,
      connectionsCheckingInterval: REQUEST_CHECK_MS,
    },
    // Fastify calls this first for every request, also for one without a route.
    genReqId: (request) => {
      startRequestTimer(request);
      return requestIdOf(request);
    },
    // Requests that arrive during shutdown are still answered; their connections are closed afterwards.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    // A path parameter of any length reaches its route, which answers with its own 404.
    routerOptions: { maxParamLength: maxHeaderSize },
    clientErrorHandler: handleClientError,
    frameworkErrors: (error, request, reply) => errors.send(request, reply, error),
  });
  handleErrors(app, errors);
  handleProtocolErrors(app, errors);
  addJsonParser(app);
  app.addHook('preClose', (done) => {
    sender.beginClosing();
    done();
  });
  if (corsOrigins !== null) await allowOrigins(app, corsOrigins);
  const cache = new ResponseCache(dependencies.now);
  const timeout = responseTimeoutMs === undefined ? {} : { responseTimeoutMs };
  const { usage: counts, quotas, wallNow = Date.now, sandbox, requests, keyUses } = dependencies;
  const options = {
    dependencies: { ...dependencies, keyGenerator: createKeyGenerator(authenticator) },
    requests,
    sandbox,
    authenticator,
    keyUses,
    wallNow,
    control,
    cache,
    inFlightKeys: new InFlightKeys(),
    commandRateLimiter: new CommandRateLimiter(),
    meter: new Meter({ counts, quotas, now: wallNow }),
    sender,
    errors,
    isReady,
    ...timeout,
  };
  for (const route of routes) app.route(serveRoute(route, options));
  /** Serves a path without parameters that the API does not list. */
  const serveUnlisted = (path: string, serve: (request: FastifyRequest, reply: FastifyReply) => void) =>
    app.get(path, (request, reply) => {
      const refusal = queryRefusal(request.url);
      if (refusal) errors.send(request, reply, refusal);
      else serve(request, reply);
    });
  serveUnlisted(METRICS_PATH, (request, reply) => {
    metrics.registry.metrics().then(
      (text) => sender.bytes(request, reply, 200, metrics.registry.contentType, Buffer.from(text)),
      (fault: unknown) => errors.send(request, reply, fault),
    );
  });
  const documents = servedDocuments(routes);
  for (const [path, bodyOf] of documents)
    serveUnlisted(path, (request, reply) => {
      sender.encoded(request, reply, 200, bodyOf())?.catch((fault: unknown) => errors.send(request, reply, fault));
    });
  const unlisted = [METRICS_PATH, ...documents.keys()].map((path) => ({ path, method: 'GET' }));
  const pages =
    portal === null
      ? []
      : [...servePortal(app, portal, { sender, errors }), ...serveDocs(app, portal, { routes, sender, errors })];
  refuseOtherMethods(app, errors, [...routes, ...unlisted, ...pages]);
  return app;
}

async function allowOrigins(app: FastifyInstance, origins: string): Promise<void> {
  await app.register(cors, {
    origin: origins === '*' ? '*' : origins.split(','),
    methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    exposedHeaders: EXPOSED_HEADERS,
    // An OPTIONS request that is not a preflight gets the same response, not an error outside of the envelope.
    strictPreflight: false,
    maxAge: 600,
  });
}
