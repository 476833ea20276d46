/**
 * What does the REST application cost beside a bare Fastify route that sends the same bytes? `GET /v1/events` with an
 * API key over kept-alive connections, served from the answers that are kept; the load comes from a thread of its own.
 *
 * What would skew it: a client that is slower than the server (it speaks on plain sockets and only counts); another
 * number of bytes (the baseline sends the very body that the application sent); a first answer, which is worked out (it
 * is asked for before); the secret's check, slow by design, which a key pays once (before, too).
 */
import Fastify from 'fastify';
import { start as startQueryApi } from '#query-api/start';
import type { Bench, BenchContext, BenchResult } from '../bench.ts';
import { alternate, rateResult } from '../measure.ts';
import { type OpenWorld, openWorld, processAll } from '../open-world.ts';
import type { HttpLoad, HttpLoadDone } from '../threads/http-load.ts';
import { startThread } from '../threads/start-thread.ts';

const PATH = '/v1/events?limit=10';
const CONNECTIONS = 32;
const ROUND_MS = 1_200;
const ROUNDS = 5;
const WARMUPS = 2;
const TIMEOUT_MS = 20_000;

export const restCached: Bench = {
  aims: { 'rest-cached': { ratioMin: 0.7 } },
  async run({ folder, onProgress }: BenchContext): Promise<BenchResult[]> {
    const world = await openWorld({ folder, rate: 200, seconds: 5 });
    try {
      await processAll(world.context);
      const rates = await measure(world, onProgress);
      return [rateResult('rest-cached', 'requests/s', rates)];
    } finally {
      await world.close();
    }
  },
};

async function measure({ context, token }: OpenWorld, onProgress: (share: number) => void) {
  const api = await startQueryApi(context);
  const headers = { authorization: `Bearer ${token}` };
  const body = await askUntilReady(`${api.address}${PATH}`, headers);
  const bare = Fastify({ logger: false });
  bare.get('/bare', (_request, reply) => reply.header('content-type', 'application/json; charset=utf-8').send(body));
  const bareAddress = await bare.listen({ host: '127.0.0.1', port: 0 });
  const thread = startThread<HttpLoad, HttpLoadDone>('http-load', null);
  const load = async (address: string, path: string) => {
    const port = Number(new URL(address).port);
    const done = await thread.ask({ port, path, headers, connections: CONNECTIONS, durationMs: ROUND_MS });
    if (done.fault !== null) throw new Error(`${path}: ${done.fault}`);
    return { units: done.answers, ms: done.ms };
  };
  try {
    return await alternate(
      () => load(api.address, PATH),
      () => load(bareAddress, '/bare'),
      { rounds: ROUNDS, warmups: WARMUPS, onProgress },
    );
  } finally {
    await thread.close();
    await bare.close();
    await api.close();
  }
}

/** The body, once the views hold the log. Throws when it names no event: an empty answer is not what is measured. */
async function askUntilReady(url: string, headers: Record<string, string>): Promise<Buffer> {
  const deadline = Date.now() + TIMEOUT_MS;
  for (;;) {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
    const body = Buffer.from(await response.arrayBuffer());
    if (response.status === 200) {
      const { events } = JSON.parse(body.toString('utf8')) as { events: unknown[] };
      if (events.length === 0) throw new Error('the simulated world has no universal events');
      return body;
    }
    if (response.status !== 503 || Date.now() > deadline) throw new Error(`${url}: ${response.status} ${body}`);
  }
}
