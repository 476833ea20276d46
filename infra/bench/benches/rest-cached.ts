/**
 * What does the REST application cost beside a bare Fastify route that sends the same bytes? `GET /v1/events` with an
 * API key over kept-alive connections, served from the answers that are kept. The service, the bare route and the load
 * each have a thread of their own, the two servers a process: what one made of the shared code of Fastify and Node
 * (shapes of objects, inlining) must not be what the other runs.
 *
 * What would skew it: a client that is slower than the server (it speaks on plain sockets and only counts); another
 * number of bytes (the baseline sends the very body that the service sent); a first answer, which is worked out (it
 * is asked for before); the secret's check, slow by design, which a key pays once (before, too).
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { closeInReverse } from '../../closing.ts';
import type { Bench, BenchContext, BenchResult } from '../bench.ts';
import { alternate, rateResult } from '../measure.ts';
import { openWorld, processAll } from '../open-world.ts';
import type { HttpLoad, HttpLoadDone } from '../threads/http-load.ts';
import { startProcess } from '../threads/start-process.ts';
import { startThread } from '../threads/start-thread.ts';

const PATH = '/v1/events?limit=10';
// Counted as any, but more than a load can use up.
const QUOTAS = '{"enterprise":{"api.request":{"minute":1000000000,"day":1000000000}}}';
const CONNECTIONS = 32;
const ROUND_MS = 1_200;
const ROUNDS = 5;
const WARMUPS = 2;
const TIMEOUT_MS = 20_000;

export const restCached: Bench = {
  aims: { 'rest-cached': { ratioMin: 0.7 } },
  async run({ folder, onProgress }: BenchContext): Promise<BenchResult[]> {
    const { token, flags } = await makeWorld(folder);
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
      await writeFile(file, await askUntilReady(`${service.address}${PATH}`, headers));
      const bare = await startProcess('bare-server', [file], {}, 'REST');
      closers.push(() => bare.stop());
      const thread = startThread<HttpLoad, HttpLoadDone>('http-load', null);
      closers.push(() => thread.close());
      const load = async (address: string, path: string) => {
        const port = Number(new URL(address).port);
        const done = await thread.ask({ port, path, headers, connections: CONNECTIONS, durationMs: ROUND_MS });
        if (done.fault !== null) throw new Error(`${path}: ${done.fault}`);
        return { units: done.answers, ms: done.ms };
      };
      const rates = await alternate(
        () => load(service.address, PATH),
        () => load(bare.address, '/bare'),
        { rounds: ROUNDS, warmups: WARMUPS, onProgress },
      );
      return [rateResult('rest-cached', 'requests/s', rates)];
    } finally {
      await closeInReverse(closers);
    }
  },
};

/** A data directory with a processed world, and how to start the query API on it. */
async function makeWorld(folder: string): Promise<{ token: string; flags: string[] }> {
  const world = await openWorld({ folder, rate: 200, seconds: 5 });
  try {
    await processAll(world.context);
  } finally {
    await world.close();
  }
  const { dataDir, venues } = world.context.settings;
  const flags = ['--data-dir', dataDir, '--venues', venues, '--http-port', '0'];
  return { token: world.token, flags };
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
