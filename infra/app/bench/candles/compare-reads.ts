/** Compares the latency of REST routes with that of bare queries that return the same. */
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { start as startQueryApi } from '#query-api/start';
import type { Row } from '../../../store/store.ts';
import type { SimulatedService } from '../../simulated-service.ts';
import { quantile } from '../statistics.ts';

const READY_TIMEOUT_MS = 30_000;
const RETRY_MS = 20;
/** Every route waits for all views. */
const READY_PATH = '/v1/me/pnl';

export interface ComparedReads {
  /** Called once before the measurement, when the REST API is ready. */
  readonly prepare?: (url: string) => Promise<void>;
  /** Path of the `nth` request; each one differs, since responses are cached. */
  readonly path: (nth: number) => string;
  /** The bare query for the `nth` request. */
  readonly sql: (nth: number) => string;
  /** True if the response and the rows of the bare query state the same. */
  readonly isSame: (body: Buffer, found: readonly Row[]) => boolean;
  readonly rounds: number;
  readonly warmups: number;
  readonly onProgress: (share: number) => void;
}

/** Nearest-rank p99 of the latency, ms. */
export interface LatencyPair {
  readonly subject: number;
  readonly baseline: number;
}

/** `isSame` for responses with candles, of which both must return so many. */
export function haveCandles(rows: number): ComparedReads['isSame'] {
  return (body, found) => {
    const { candles } = JSON.parse(body.toString()) as { candles?: readonly unknown[] };
    return candles?.length === rows && found.length === rows;
  };
}

/** Runs the REST API in this process, on the store of the bare query, and measures both alternately. */
export async function compareReads(service: SimulatedService, reads: ComparedReads): Promise<LatencyPair> {
  const { prepare, path, sql, isSame, rounds, warmups, onProgress } = reads;
  const { context, token } = service;
  const api = await startQueryApi(context);
  const agent = new Agent({ keepAlive: true });
  try {
    await untilReady(() => get(agent, api.url, READY_PATH, token));
    await prepare?.(api.url);
    const times: { readonly subject: number[]; readonly baseline: number[] } = { subject: [], baseline: [] };
    const readBare = async (round: number) => {
      const startedAt = performance.now();
      const found = await context.store.query<Row>(sql(round + 1));
      return { found, ms: performance.now() - startedAt };
    };
    for (let round = 0; round < warmups + rounds; round += 1) {
      // The second of two reads finds the rows in the caches of the processor, so each side comes first in half of the rounds.
      const first = round % 2 === 0 ? null : await readBare(round);
      const { ms: subject, status, body } = await get(agent, api.url, path(round + 1), token);
      if (status !== 200) throw new Error(`${path(round + 1)}: ${status} ${body.toString()}`);
      const { found, ms: baseline } = first ?? (await readBare(round));
      if (!isSame(body, found)) throw new Error(`${path(round + 1)}: the bare query returns something else`);
      onProgress((round + 1) / (warmups + rounds));
      if (round < warmups) continue;
      times.subject.push(subject);
      times.baseline.push(baseline);
    }
    return { subject: quantile(times.subject, 0.99), baseline: quantile(times.baseline, 0.99) };
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
