/** `/health` and `/metrics`: served by every process, whatever its roles. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { ApiError, type ErrorCode } from '#schemas/errors';
import { errorEnvelope } from '#schemas/http/error-envelope';
import { listenFault } from '../config/listen-fault.ts';
import type { Settings } from '../config/settings.ts';
import type { Running } from '../context.ts';
import { VERSION } from '../version.ts';
import type { Backlog, Health, HealthReport } from './health.ts';
import type { Metrics } from './metrics.ts';

const SERVICE = 'parallax';

/** The body of `/health` (specification, Service and keys), with the parts of the process and what they tell beside. */
export interface HealthBody {
  readonly status: HealthReport['status'];
  readonly service: string;
  readonly version: string;
  readonly uptimeSeconds: number;
  readonly timestamp: string;
  readonly parts: Record<string, string>;
  readonly [extra: string]: unknown;
}

export interface HealthAnswer {
  readonly statusCode: 200 | 503;
  readonly body: HealthBody;
}

/** What `/health` answers: 200 only when everything is ready. */
export function healthAnswer(health: Health): HealthAnswer {
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

/** Whatever else is wrong with a stage says more than that it is behind. */
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

/** Serves the two alone, for processes without the query API. `address` is the base address. */
export async function startOpsServer(context: OpsContext): Promise<Running & { readonly address: string }> {
  const { host, httpPort } = context.settings;
  const server = createServer((request, response) => {
    answer(context, request, response).catch((error: unknown) => {
      context.logger.error({ error, path: request.url }, 'a request failed');
      if (response.headersSent) response.destroy();
      else sendJson(response, 500, faultOf('internal_error', 'the service failed'));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenFault(error, context.settings) ?? error));
    server.listen(httpPort, host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

async function answer({ health, metrics }: OpsContext, request: IncomingMessage, response: ServerResponse) {
  const path = request.url?.split('?', 1)[0];
  const known = path === '/health' || path === '/metrics';
  if (known && request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD');
    sendJson(response, 405, faultOf('method_not_allowed', `${request.method} is not allowed here; allowed: GET, HEAD`));
  } else if (path === '/health') {
    const { statusCode, body } = healthAnswer(health);
    sendJson(response, statusCode, body);
  } else if (path === '/metrics') {
    const text = await metrics.registry.metrics();
    response.writeHead(200, { 'content-type': metrics.registry.contentType }).end(text);
  } else {
    sendJson(response, 404, faultOf('not_found', 'this process serves /health and /metrics only'));
  }
}

function faultOf(code: ErrorCode, message: string) {
  return errorEnvelope(new ApiError(code, message), null);
}

function sendJson(response: ServerResponse, statusCode: number, body: unknown): void {
  response.writeHead(statusCode, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(JSON.stringify(body));
}
