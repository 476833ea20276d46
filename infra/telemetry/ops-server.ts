/** `/health` and `/metrics`: served by every process, whatever its roles. */
import { createServer } from 'node:http';
import type { Settings } from '../config/settings.ts';
import type { Running } from '../context.ts';
import { VERSION } from '../version.ts';
import type { Health } from './health.ts';
import type { Metrics } from './metrics.ts';

const SERVICE = 'parallax';

/** The body of `/health` with its status: 200 only when everything is ready. */
export interface HealthAnswer {
  readonly statusCode: 200 | 503;
  readonly body: Readonly<Record<string, unknown>>;
}

export function healthAnswer(health: Health): HealthAnswer {
  const { status, parts, extras } = health.report();
  return {
    statusCode: status === 'ok' ? 200 : 503,
    body: {
      ...extras,
      status,
      service: SERVICE,
      version: VERSION,
      uptimeSeconds: Math.round(process.uptime()),
      timestamp: new Date().toISOString(),
      parts,
    },
  };
}

/** Serves the two alone, for processes without the query API. */
export async function startOpsServer(context: {
  readonly settings: Pick<Settings, 'host' | 'httpPort'>;
  readonly health: Health;
  readonly metrics: Metrics;
}): Promise<Running & { readonly address: string }> {
  const { settings, health, metrics } = context;
  const server = createServer(async (request, response) => {
    const path = request.url?.split('?')[0];
    if (request.method === 'GET' && path === '/health') {
      const { statusCode, body } = healthAnswer(health);
      response.writeHead(statusCode, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    } else if (request.method === 'GET' && path === '/metrics') {
      response.writeHead(200, { 'content-type': metrics.registry.contentType }).end(await metrics.registry.metrics());
    } else {
      const error = { code: 'not_found', message: 'this process serves /health and /metrics only', requestId: null };
      response.writeHead(404, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(settings.httpPort, settings.host, resolve);
  });
  const bound = server.address();
  const port = typeof bound === 'object' && bound ? bound.port : settings.httpPort;
  return {
    address: `http://${settings.host}:${port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
