/**
 * Cached REST requests per second compared with a bare Fastify route that sends the same bytes. It requests `GET
 * /v1/events` with an API key over keep-alive connections, served from the response cache. Service and baseline each
 * run in a process of their own, so that one does not run code that V8 optimised for the other, and the load generator
 * runs in a thread.
 *
 * Sources of error: a client that is slower than the server (it uses plain sockets and only counts); bodies of
 * different size (the baseline sends a body of the service); the first response, which is not cached, and the first
 * check of the key's secret, which is slow by design (both happen before the measurement).
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { closeInReverse } from '../../../runtime/closing.ts';
import { openSimulatedService, processAll } from '../../simulated-service.ts';
import type { Bench, BenchContext, BenchResult } from '../bench.ts';
import { alternate, rateResult } from '../measure.ts';
import type { HttpLoad, HttpLoadDone } from '../threads/http-load.ts';
import { startProcess } from '../threads/start-process.ts';
import { startThread } from '../threads/start-thread.ts';

const PATH = '/v1/events?limit=10';
// Requests are counted, but the load cannot use up the quota.
const QUOTAS = '{"enterprise":{"api.request":{"minute":1000000000,"day":1000000000}}}';
const CONNECTIONS = 32;
const ROUND_MS = 1_200;
const ROUNDS = 5;
const WARMUPS = 2;
const TIMEOUT_MS = 20_000;

export const restCached: Bench = {
  aims: { 'rest-cached': { ratioMin: 0.7 } },
  async run({ folder, onProgress }: BenchContext): Promise<BenchResult[]> {
    const { token, flags } = await prepareDataDir(folder);
    const closers: (() => Promise<void>)[] = [];
    try {
      const service = await startProcess(
        'query-api',
        flags,
        { PARALLAX_ADMIN_TOKEN: token, PARALLAX_QUOTAS: QUOTAS },
        'REST',
      );
      closers.push(() => service.stop());
      const headers = { authorization: `Bearer ${token}` };
      const file = join(folder, 'body.json');
      await writeFile(file, await fetchUntilReady(`${service.url}${PATH}`, headers));
      const bare = await startProcess('bare-server', [file], {}, 'REST');
      closers.push(() => bare.stop());
      const thread = startThread<HttpLoad, HttpLoadDone>('http-load', null);
      closers.push(() => thread.close());
      const load = async (url: string, path: string) => {
        const port = Number(new URL(url).port);
        const done = await thread.request({ port, path, headers, connections: CONNECTIONS, durationMs: ROUND_MS });
        if (done.fault !== null) throw new Error(`${path}: ${done.fault}`);
        return { units: done.responses, ms: done.ms };
      };
      const rates = await alternate(
        () => load(service.url, PATH),
        () => load(bare.url, '/bare'),
        { rounds: ROUNDS, warmups: WARMUPS, onProgress },
      );
      return [rateResult('rest-cached', 'requests/s', rates)];
    } finally {
      await closeInReverse(closers);
    }
  },
};

/** Creates a data directory with processed records. Returns the flags for a query API on it. */
async function prepareDataDir(folder: string): Promise<{ token: string; flags: string[] }> {
  const service = await openSimulatedService({ folder, rate: 200, seconds: 5 });
  try {
    await processAll(service.context);
  } finally {
    await service.close();
  }
  const { dataDir, venues } = service.context.settings;
  const flags = ['--data-dir', dataDir, '--venues', venues, '--http-port', '0'];
  return { token: service.token, flags };
}

/** Fetches the body once the views are up to date. Throws if it has no events, since an empty body is not measured. */
async function fetchUntilReady(url: string, headers: Record<string, string>): Promise<Buffer> {
  const deadline = Date.now() + TIMEOUT_MS;
  for (;;) {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
    const body = Buffer.from(await response.arrayBuffer());
    if (response.status === 200) {
      const { events } = JSON.parse(body.toString('utf8')) as { events: unknown[] };
      if (events.length === 0) throw new Error('the simulated recording has no universal events');
      return body;
    }
    if (response.status !== 503 || Date.now() > deadline) throw new Error(`${url}: ${response.status} ${body}`);
  }
}
