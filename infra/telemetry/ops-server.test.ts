import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { errorEnvelopeSchema } from '#schemas/http/error-envelope';
import { SettingError } from '../config/declare.ts';
import { createHealth } from './health.ts';
import { createMetrics } from './metrics.ts';
import { startOpsServer } from './ops-server.ts';

const running: Awaited<ReturnType<typeof startOpsServer>>[] = [];
async function open(httpPort = 0) {
  const health = createHealth();
  const metrics = createMetrics();
  const logger = pino({ level: 'silent' });
  const server = await startOpsServer({ settings: { host: '127.0.0.1', httpPort }, health, metrics, logger });
  running.push(server);
  return {
    ...server,
    health,
    metrics,
    get: (path: string, init?: RequestInit) => fetch(`${server.url}${path}`, init),
  };
}
afterEach(async () => {
  for (const server of running.splice(0)) await server.close();
});

describe('a process without the query API', () => {
  it('serves its health: 503 until every part is ready', async () => {
    const { get, health } = await open();
    health.expect('ingest');
    expect((await get('/health')).status).toBe(503);
    health.ready('ingest');
    const answer = await get('/health');
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ status: 'ok', service: 'parallax', parts: { ingest: 'ready' } });
  });

  it('serves its metrics', async () => {
    const { get, metrics } = await open();
    metrics.deadLetters.inc({ topic: 'raw.venue_a.ws', reason: 'malformed_json' });
    const text = await (await get('/metrics')).text();
    expect(text).toContain('parallax_dead_letters_total{topic="raw.venue_a.ws",reason="malformed_json"} 1');
  });

  it('refuses query parameters, as the query API does', async () => {
    const { get } = await open();
    for (const path of ['/health', '/metrics']) {
      const answer = await get(`${path}?probe=1`);
      expect(answer.status, path).toBe(400);
      expect(errorEnvelopeSchema.parse(await answer.json()).error).toMatchObject({
        code: 'validation_failed',
        message: 'probe: unknown query parameter (this route has no query parameters)',
      });
    }
  });

  it('answers other paths with 404 in the error envelope', async () => {
    const { get } = await open();
    for (const path of ['/', '/v1/events', '/healthz']) {
      const answer = await get(path);
      expect(answer.status, path).toBe(404);
      expect(errorEnvelopeSchema.parse(await answer.json()).error.code).toBe('not_found');
    }
    const answer = await get('/health', { method: 'POST' });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('GET, HEAD');
    expect((await get('/metrics', { method: 'HEAD' })).status).toBe(200);
  });

  it('refuses a port in use with one line that names the setting', async () => {
    const { url } = await open();
    const port = Number(new URL(url).port);
    await expect(open(port)).rejects.toThrow(SettingError);
    await expect(open(port)).rejects.toThrow(/--http-port/);
  });
});
