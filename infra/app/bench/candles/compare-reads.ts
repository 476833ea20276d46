/** Compares the latency of a REST route with that of a bare query that returns the same rows. */
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { start as startQueryApi } from '#query-api/start';
import type { Row } from '../../../store/store.ts';
import type { SimulatedService } from '../../simulated-service.ts';
import type { BenchResult } from '../bench.ts';
import { latencyResult } from '../measure.ts';
import { quantile } from '../statistics.ts';

const READY_TIMEOUT_MS = 30_000;
const RETRY_MS = 20;

export interface ComparedReads {
  readonly name: string;
  /** Path of the `nth` request; each one differs, since responses are cached. */
  readonly path: (nth: number) => string;
  /** The bare query of the rows of the `nth` request. */
  readonly sql: (nth: number) => string;
  /** Rows that both must return. */
  readonly rows: number;
  readonly rounds: number;
  readonly warmups: number;
  readonly onProgress: (share: number) => void;
}

/** Runs the REST API in this process, on the store of the bare query, and measures both alternately. */
export async function compareReads(service: SimulatedService, reads: ComparedReads): Promise<BenchResult> {
  const { name, path, sql, rows, rounds, warmups, onProgress } = reads;
  const { context, token } = service;
  const api = await startQueryApi(context);
  const agent = new Agent({ keepAlive: true });
  try {
    await untilReady(() => get(agent, api.url, path(0), token));
    const times: { readonly subject: number[]; readonly baseline: number[] } = { subject: [], baseline: [] };
    for (let round = 0; round < warmups + rounds; round += 1) {
      const { ms: subject, status, body } = await get(agent, api.url, path(round + 1), token);
      const { candles } = JSON.parse(body.toString()) as { candles?: readonly unknown[] };
      if (status !== 200 || candles?.length !== rows)
        throw new Error(`${path(round + 1)}: status ${status}, ${candles?.length} rows instead of ${rows}`);
      const startedAt = performance.now();
      const found = await context.store.query<Row>(sql(round + 1));
      const baseline = performance.now() - startedAt;
      if (found.length !== rows) throw new Error(`the bare query returned ${found.length} rows instead of ${rows}`);
      onProgress((round + 1) / (warmups + rounds));
      if (round < warmups) continue;
      times.subject.push(subject);
      times.baseline.push(baseline);
    }
    return latencyResult(name, { subject: quantile(times.subject, 0.99), baseline: quantile(times.baseline, 0.99) });
  } finally {
    agent.destroy();
    await api.close();
  }
}

interface TimedResponse {
  readonly status: number;
  readonly body: Buffer;
  /** Until the last byte. */
  readonly ms: number;
}

export function get(agent: Agent, url: string, path: string, token: string): Promise<TimedResponse> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const sent = request(`${url}${path}`, { agent, headers: { authorization: `Bearer ${token}` } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => void chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () =>
        resolve({ status: response.statusCode!, body: Buffer.concat(chunks), ms: performance.now() - startedAt }),
      );
    });
    sent.once('error', reject);
    sent.end();
  });
}

/** Repeats a request while the views are being read. */
export async function untilReady(send: () => Promise<{ readonly status: number }>): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while ((await send()).status === 503) {
    if (Date.now() > deadline) throw new Error('the REST API did not become ready');
    await sleep(RETRY_MS);
  }
}
