/** Serves `/health` and `/metrics` in every process, whatever its roles. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { ApiError } from '#schemas/errors';
import { errorEnvelope } from '#schemas/http/error-envelope';
import { queryRefusal } from '#schemas/http/unknown-query';
import { listenFault } from '../config/listen-fault.ts';
import type { Settings } from '../config/settings.ts';
import { VERSION } from '../config/version.ts';
import type { Running } from '../runtime/context.ts';
import type { Backlog, Health, HealthReport } from './health.ts';
import type { Metrics } from './metrics.ts';

const SERVICE = 'parallax';

/** The body of `/health` (specification, Service and keys), with the parts of the process and additional fields. */
export interface HealthBody {
  readonly status: HealthReport['status'];
  readonly service: string;
  readonly version: string;
  readonly uptimeSeconds: number;
  readonly timestamp: string;
  readonly parts: Record<string, string>;
  readonly [extra: string]: unknown;
}

export interface HealthResponse {
  readonly statusCode: 200 | 503;
  readonly body: HealthBody;
}

/** The response of `/health`: 200 only if everything is ready, else 503. */
export function healthResponse(health: Health): HealthResponse {
  const { status, parts, extras, backlog } = health.report();
  return {
    statusCode: status === 'ok' ? 200 : 503,
    body: {
      ...extras,
      status,
      service: SERVICE,
      version: VERSION,
      uptimeSeconds: Math.round(process.uptime()),
      timestamp: new Date().toISOString(),
      parts: withBacklog(parts, backlog),
      ...(backlog.length > 0 && { backlog }),
    },
  };
}

/** Adds backlogs to the parts, unless a stage reports another problem, which is more important. */
function withBacklog(parts: HealthReport['parts'], backlog: HealthReport['backlog']): Record<string, string> {
  const all = { ...parts };
  for (const one of backlog) {
    const name = `stage ${one.stage}`;
    if ((all[name] ?? 'ready') === 'ready') all[name] = backlogText(one);
  }
  return all;
}

function backlogText({ lagSeconds, records, secondsLeft }: Backlog): string {
  const left = records === null ? '' : `, ${records} records left`;
  const time = secondsLeft === null ? '' : `, about ${secondsLeft} s to go`;
  return `${lagSeconds} s behind${left}${time}`;
}

interface OpsContext {
  readonly settings: Pick<Settings, 'host' | 'httpPort'>;
  readonly health: Health;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/** Serves only these two paths, for processes without the query API. `url` is the base URL. */
export async function startOpsServer(context: OpsContext): Promise<Running & { readonly url: string }> {
  const { host, httpPort } = context.settings;
  const server = createServer((request, response) => {
    handle(context, request, response).catch((error: unknown) => {
      context.logger.error({ error, path: request.url }, 'a request failed');
      if (response.headersSent) response.destroy();
      else sendError(response, new ApiError('internal_error', 'the service failed'));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenFault(error, context.settings) ?? error));
    server.listen(httpPort, host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

async function handle({ health, metrics }: OpsContext, request: IncomingMessage, response: ServerResponse) {
  const { method, url = '/' } = request;
  const path = url.split('?', 1)[0]!;
  const refusal = refusalOf(method, path, url);
  if (refusal) {
    if (refusal.code === 'method_not_allowed') response.setHeader('allow', 'GET, HEAD');
    sendError(response, refusal);
  } else if (path === '/health') {
    const { statusCode, body } = healthResponse(health);
    sendJson(response, statusCode, body);
  } else {
    const text = await metrics.registry.metrics();
    response.writeHead(200, { 'content-type': metrics.registry.contentType }).end(text);
  }
}

/** The error for a request that is not served; null for others. */
function refusalOf(method: string | undefined, path: string, url: string): ApiError | null {
  if (path !== '/health' && path !== '/metrics')
    return new ApiError('not_found', 'this process serves /health and /metrics only');
  if (method !== 'GET' && method !== 'HEAD')
    return new ApiError('method_not_allowed', `${method} is not allowed here; allowed: GET, HEAD`);
  return queryRefusal(url);
}

function sendError(response: ServerResponse, error: ApiError): void {
  sendJson(response, error.status, errorEnvelope(error, null));
}

function sendJson(response: ServerResponse, statusCode: number, body: unknown): void {
  response.writeHead(statusCode, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(JSON.stringify(body));
}
