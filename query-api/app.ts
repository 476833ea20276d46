/** Builds the REST application without listening, so that tests reach it by injection. */
import { maxHeaderSize } from 'node:http';
import cors from '@fastify/cors';
import Fastify, { type FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Authenticator } from '#infra/control/authenticator';
import type { ControlHost } from '#infra/control/control-host';
import type { Metrics } from '#infra/telemetry/metrics';
import type { PlanQuotas } from '#schemas/domain/quota/plan-quotas';
import type { UsageCounts } from '#schemas/domain/quota/usage-counts';
import { AnswerCache } from './http/answer-cache.ts';
import { CommandRate } from './http/command-rate.ts';
import { RunningKeys } from './http/commands.ts';
import { EncodedBody } from './http/encodings.ts';
import { answerClientError, answerErrors, answerProtocolErrors, ErrorSender } from './http/errors.ts';
import { Meter } from './http/meter.ts';
import { readJson } from './http/read-json.ts';
import { refuseOtherMethods } from './http/refuse-methods.ts';
import { requestIdOf } from './http/request-id.ts';
import { startRequestTimer } from './http/request-time.ts';
import { createSecretMaker } from './http/secret-maker.ts';
import { Sender } from './http/send.ts';
import { serveRoute } from './http/serve-route.ts';
import { openApiDocument } from './openapi/document.ts';
import { ROUTES } from './routes/index.ts';
import type { Dependencies, Route } from './routes/route.ts';
import type { Sandbox } from './sandbox/open-sandbox.ts';

const BODY_BYTES_MAX = 1024 * 1024;
const REQUEST_TIMEOUT_MS = 30_000;
/** How often it is looked whether one has not. */
const REQUEST_CHECK_MS = 1_000;
const METRICS_PATH = '/metrics';
const OPENAPI_PATH = '/openapi.json';
/** Headers that a page of another origin may read. */
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
];

export interface AppDependencies extends Omit<Dependencies, 'secrets' | 'usage'> {
  readonly control: Pick<ControlHost, 'state' | 'isCurrent' | 'submit'>;
  readonly sandbox: Sandbox;
  /** What organizations used so far, and may use. */
  readonly usage: UsageCounts;
  readonly quotas: PlanQuotas;
  readonly authenticator: Authenticator;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** A comma list of origins, `*`, or null for none (PARALLAX_CORS_ORIGINS). */
  readonly corsOrigins: string | null;
  /** Whether the views hold everything that the log held at the start. */
  readonly isReady: () => boolean;
  /** Unix ms, for the windows of quotas. */
  readonly wallNow?: () => number;
  /** Monotonic ms, for what is kept. */
  readonly now?: () => number;
  readonly answerTimeoutMs?: number;
  /** Within how many ms a request must have come in whole; 30 s by default. */
  readonly requestTimeoutMs?: number;
}

/** @param routes other routes than the service's own, for tests of what they have in common. */
export async function buildApp(
  dependencies: AppDependencies,
  routes: readonly Route[] = ROUTES,
): Promise<FastifyInstance> {
  const { logger, metrics, corsOrigins, authenticator, control, isReady, answerTimeoutMs } = dependencies;
  const { requestTimeoutMs = REQUEST_TIMEOUT_MS } = dependencies;
  const sender = new Sender({ metrics, pluginHeaders: corsOrigins !== null });
  const errors = new ErrorSender(logger, sender);
  const app = Fastify({
    logger: false,
    bodyLimit: BODY_BYTES_MAX,
    requestTimeout: requestTimeoutMs,
    // A greater `headersTimeout`, as Node's own is, would hold for the whole request instead.
    http: {
      requireHostHeader: false,
      headersTimeout: requestTimeoutMs,
      connectionsCheckingInterval: REQUEST_CHECK_MS,
    },
    // The first thing that Fastify calls for every request, also for one that no route takes.
    genReqId: (request) => {
      startRequestTimer(request);
      return requestIdOf(request);
    },
    // A request that comes while the service closes is still answered; its connection ends with it.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    // Whatever fits a request reaches its route, which says in its own words that there is no such thing.
    routerOptions: { maxParamLength: maxHeaderSize },
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => errors.send(request, reply, error),
  });
  answerErrors(app, errors);
  answerProtocolErrors(app, errors);
  readJson(app);
  app.addHook('preClose', (done) => {
    sender.beginClosing();
    done();
  });
  if (corsOrigins !== null) await allowOrigins(app, corsOrigins);
  const cache = new AnswerCache(dependencies.now);
  const timeout = answerTimeoutMs === undefined ? {} : { answerTimeoutMs };
  const { usage: counts, quotas, wallNow = Date.now, sandbox } = dependencies;
  const options = {
    dependencies: { ...dependencies, secrets: createSecretMaker(authenticator) },
    sandbox,
    authenticator,
    control,
    cache,
    running: new RunningKeys(),
    commandRate: new CommandRate(),
    meter: new Meter({ counts, quotas, now: wallNow }),
    sender,
    errors,
    isReady,
    ...timeout,
  };
  for (const route of routes) app.route(serveRoute(route, options));
  app.get(METRICS_PATH, (request, reply) => {
    metrics.registry.metrics().then(
      (text) => sender.bytes(request, reply, 200, metrics.registry.contentType, Buffer.from(text)),
      (fault: unknown) => errors.send(request, reply, fault),
    );
  });
  const openApi = new EncodedBody(Buffer.from(JSON.stringify(openApiDocument(routes))));
  app.get(OPENAPI_PATH, (request, reply) => {
    sender.encoded(request, reply, 200, openApi)?.catch((fault: unknown) => errors.send(request, reply, fault));
  });
  const others = [METRICS_PATH, OPENAPI_PATH].map((path) => ({ path, method: 'GET' }));
  refuseOtherMethods(app, errors, [...routes, ...others]);
  return app;
}

async function allowOrigins(app: FastifyInstance, origins: string): Promise<void> {
  await app.register(cors, {
    origin: origins === '*' ? '*' : origins.split(','),
    methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    exposedHeaders: EXPOSED_HEADERS,
    // An OPTIONS request that is no preflight gets the same answer rather than one outside of the error envelope.
    strictPreflight: false,
    maxAge: 600,
  });
}
