/**
 * Latency that the path through the log adds to a read of a venue, on the embedded log: REST, request, ingest, response,
 * outcome, REST. A self-hosted node in this process answers at once, since it needs no limits; the service is a process of
 * its own. 50 reads a second, each of another account. The baseline is a bare POST to the node at the same rate.
 *
 * Sources of error: cached and shared responses (no account is read twice); waiting for a response before the next
 * request, which hides queues (requests are sent on schedule, and timed from when they were due); a node that is not asked
 * (every response must be its own); both sides at once on few cores (they alternate).
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench, BenchContext, BenchResult } from '../bench.ts';
import { latencyResult } from '../measure.ts';
import { readJson, type StartedService, startService } from '../service/start-service.ts';
import { median, quantile } from '../statistics.ts';
import { spawnProgram } from '../threads/start-process.ts';

const RATE = 50;
/** Simulated events a second: the service has little else to do. */
const SIMULATED_RATE = 1;
const READ_TIMEOUT_MS = 30_000;
/** How long the service may need until it asks the node. */
const NODE_TIMEOUT_MS = 30_000;

/** How much is measured. */
export interface UpstreamReadSize {
  readonly rounds: number;
  readonly readsPerRound: number;
}

export const upstreamRead: Bench = {
  aims: { 'upstream-read-p50': { valueMaxMs: 10 }, 'upstream-read-p99': { valueMaxMs: 30 } },
  run: (context) => measureUpstreamRead(context, { rounds: 3, readsPerRound: 300 }),
};

/** Reads an account, by its number. */
type Read = (account: number) => Promise<void>;

export async function measureUpstreamRead(
  { folder, onProgress }: BenchContext,
  { rounds, readsPerRound }: UpstreamReadSize,
): Promise<BenchResult[]> {
  const node = await startNode();
  const simulator = spawnProgram('simulator', [String(SIMULATED_RATE)]);
  try {
    const urls = JSON.parse(await simulator.line('URLs')) as Record<string, string>;
    const service = await startService({
      dataDir: join(folder, 'service'),
      sourceFlags: ['--venues', 'live'],
      env: { ...urls, PARALLAX_VENUE_A_NODE_URL: node.url },
    });
    try {
      const read = readOver(service);
      await waitForNode(read);
      let account = 0;
      const round = async (one: Read) => {
        account += readsPerRound;
        return measureRound(one, account, readsPerRound);
      };
      // The first round is a warm-up, which compiles the service's code.
      await round(read);
      const samples: { readonly read: number[]; readonly bare: number[] }[] = [];
      for (let nth = 0; nth < rounds; nth += 1) {
        onProgress((nth + 1) / (rounds + 1));
        samples.push({ read: await round(read), bare: await round(node.post) });
      }
      const at = (side: 'read' | 'bare', share: number) => median(samples.map((one) => quantile(one[side], share)));
      return [0.5, 0.99].map((share) =>
        latencyResult(`upstream-read-p${share * 100}`, { subject: at('read', share), baseline: at('bare', share) }),
      );
    } finally {
      await service.stop();
    }
  } finally {
    await simulator.stop();
    await node.close();
  }
}

const addressOf = (account: number): string => `0x${account.toString(16).padStart(40, '0')}`;

/** A node that answers everything with the current time. */
async function startNode() {
  const server: Server = createServer((request, response) => {
    request.resume().once('end', () => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ assetPositions: [], withdrawable: '1.0', time: Date.now() }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    post: async (account: number) => {
      const body = JSON.stringify({ type: 'clearinghouseState', user: addressOf(account) });
      const signal = AbortSignal.timeout(READ_TIMEOUT_MS);
      await (await fetch(`${url}/info`, { method: 'POST', body, signal })).json();
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Reads an account over REST. Throws if the node was not asked. */
function readOver(service: StartedService): Read {
  return async (account) => {
    const path = `/v1/venue_a/info/clearinghouse-state?user=${addressOf(account)}`;
    const { meta } = await readJson<{ readonly meta: { readonly source: string } }>(service, path);
    if (meta.source !== 'node') throw new Error(`a response is from the ${meta.source} source`);
  };
}

/** Waits until the service knows the clock of the node. */
async function waitForNode(read: Read): Promise<void> {
  const deadline = Date.now() + NODE_TIMEOUT_MS;
  // Accounts that no round reads.
  for (let account = 2 ** 40; ; account += 1) {
    try {
      return await read(account);
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(100);
    }
  }
}

/** Reads on schedule. Returns the latency of each read in ms. Rejects if one fails. */
async function measureRound(read: Read, firstAccount: number, reads: number): Promise<number[]> {
  const startedAt = performance.now();
  const running: Promise<number>[] = [];
  for (let nth = 0; nth < reads; nth += 1) {
    const dueAt = startedAt + (nth * 1_000) / RATE;
    await sleep(Math.max(0, dueAt - performance.now()));
    running.push(read(firstAccount + nth).then(() => performance.now() - dueAt));
  }
  return Promise.all(running);
}
