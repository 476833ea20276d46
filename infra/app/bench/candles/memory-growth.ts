/** Measures by how much the REST process grows while many clients send requests. */
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { SKUS } from '#schemas/domain/quota/sku';
import type { SimulatedService } from '../../simulated-service.ts';
import type { BenchResult } from '../bench.ts';
import { readUsage } from '../service/process-usage.ts';
import { spawnProgram } from '../threads/start-process.ts';
import { get, untilReady } from './compare-reads.ts';

/** Requests are counted, but the clients cannot use up the quota. */
const QUOTA = { minute: 1_000_000_000, day: 1_000_000_000 };
const QUOTAS = JSON.stringify({ enterprise: Object.fromEntries(SKUS.map((sku) => [sku, QUOTA])) });
const SAMPLE_MS = 100;

/** Growth that meets the aim, MiB. */
export const GROWTH_AIM = { valueMax: 64 } as const;

/** The clients that send requests at once, each the next one after its response. */
export interface ClientsSize {
  readonly clients: number;
  readonly clientsMs: number;
  /** Requests of one client before the measurement, with which caches of the store fill. */
  readonly firstRequests: number;
}

/**
 * Starts the REST API in a process of its own on the data of a service that was closed, and returns by how many MiB its
 * anonymous memory grows at most while the clients send requests. Rejects if a status is not 200.
 * @param path the path of the `nth` request; each one differs, since responses are cached.
 */
export async function measureGrowth(
  name: string,
  { context, token }: SimulatedService,
  { clients, clientsMs, firstRequests }: ClientsSize,
  path: (nth: number) => string,
): Promise<BenchResult> {
  const flags = ['--data-dir', context.settings.dataDir, '--http-port', '0'];
  const program = spawnProgram('query-api', flags, { PARALLAX_ADMIN_TOKEN: token, PARALLAX_QUOTAS: QUOTAS });
  const agent = new Agent({ keepAlive: true });
  try {
    const url = await program.line('REST');
    let nth = 0;
    const send = () => get(agent, url, path(nth++), token);
    await untilReady(send);
    for (let sent = 0; sent < firstRequests; sent += 1) await send();
    const before = (await readUsage(program.pid)).memoryMib;
    let peak = before;
    const deadline = performance.now() + clientsMs;
    const client = async () => {
      while (performance.now() < deadline) {
        const { status, body } = await send();
        if (status !== 200) throw new Error(`status ${status}: ${body.toString().slice(0, 300)}`);
      }
    };
    const running = Promise.all(Array.from({ length: clients }, client));
    const sampling = (async () => {
      while (performance.now() < deadline) {
        peak = Math.max(peak, (await readUsage(program.pid)).memoryMib);
        await sleep(SAMPLE_MS);
      }
    })();
    await Promise.all([running, sampling]);
    return { name, value: peak - before, unit: 'MiB', baseline: null, ratio: null };
  } finally {
    agent.destroy();
    await program.stop();
  }
}
