/**
 * A page of the leaderboard while a board of 47,000 rows is ingested. `leaderboard-page` is the p99 of its latency from
 * shortly before the fetch of the board has ended until the board is served. Of that time, `leaderboard-turn` is the
 * longest turn of the service's event loop, and `leaderboard-memory` the growth of its anonymous memory. There is no
 * baseline.
 *
 * Sources of error: cached responses (each request has another offset); time in which nothing is ingested, which would
 * hide slow requests (only those of the ingestion count); the simulator (it runs in a process of its own); the first
 * board, with which caches and the tables fill (it is ingested before); a page that shows no board (it throws); other
 * load of the machine, which also lengthens turns.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench, BenchContext, BenchResult } from '../bench.ts';
import { readUsage } from '../service/process-usage.ts';
import { readJson, type StartedService, startService } from '../service/start-service.ts';
import { quantile } from '../statistics.ts';
import { spawnProgram } from '../threads/start-process.ts';

const TRADERS = 47_000;
const RATE = 180;
/** Between two boards; the first one must be served completely before the second is fetched. */
const MINUTES = 0.5;
/** The fetch of an export takes about this long, since ingest pauses after each part. */
const FETCH_MS = 10_000;
const REQUEST_INTERVAL_MS = 20;
const TIMEOUT_MS = 240_000;
/** More than the number of requests until the first board is served. */
const FIRST_OFFSET = 1_000;

/** One page that was read. */
export interface PageSample {
  /** Wall time of its request, unix ms. */
  readonly at: number;
  readonly ms: number;
  readonly memoryMib: number;
  /** The longest turn of the service's event loop since the previous sample, ms. */
  readonly turnMs: number;
  /** When the board that it shows was captured, unix ms. */
  readonly capturedAt: number;
}

export const leaderboard: Bench = {
  aims: {
    'leaderboard-page': { valueMaxMs: 50 },
    'leaderboard-turn': { valueMaxMs: 20 },
    'leaderboard-memory': { valueMax: 100 },
  },
  async run({ folder, onProgress }: BenchContext): Promise<BenchResult[]> {
    const simulator = spawnProgram('simulator', [String(RATE), String(TRADERS)]);
    try {
      const env = JSON.parse(await simulator.line('URLs')) as Record<string, string>;
      const service = await startService({
        dataDir: join(folder, 'service'),
        sourceFlags: ['--venues', 'live'],
        env: { ...env, PARALLAX_LEADERBOARD_MINUTES: String(MINUTES) },
      });
      try {
        const deadline = Date.now() + TIMEOUT_MS;
        const first = await firstBoard(service, deadline);
        onProgress(0.5);
        return resultsOf(await samplesUntilNextBoard(service, first, deadline), FETCH_MS);
      } finally {
        await service.stop();
      }
    } finally {
      await simulator.stop();
    }
  },
};

/** Waits until a board is served, and returns when it was captured. */
async function firstBoard(service: StartedService, deadline: number): Promise<number> {
  for (let nth = 0; Date.now() < deadline; nth += 1) {
    const { capturedAt } = await readPage(service, nth);
    if (capturedAt !== null) return Date.parse(capturedAt);
    await sleep(REQUEST_INTERVAL_MS * 10);
  }
  throw new Error('no leaderboard was served in time');
}

async function samplesUntilNextBoard(service: StartedService, first: number, deadline: number): Promise<PageSample[]> {
  const samples: PageSample[] = [];
  const readTurn = turnReader(service);
  // Other pages than those that were read, and perhaps cached, before the first board was served.
  for (let nth = FIRST_OFFSET; Date.now() < deadline; nth += 1) {
    const [at, startedAt] = [Date.now(), performance.now()];
    const { capturedAt, total } = await readPage(service, nth);
    const ms = performance.now() - startedAt;
    if (capturedAt === null || total !== TRADERS) throw new Error(`a page shows a board of ${total} rows`);
    const { memoryMib } = await readUsage(service.pid);
    samples.push({ at, ms, memoryMib, turnMs: await readTurn(), capturedAt: Date.parse(capturedAt) });
    if (Date.parse(capturedAt) !== first) return samples;
    await sleep(REQUEST_INTERVAL_MS);
  }
  throw new Error('no second leaderboard was served in time');
}

/** Reads the longest turn since the previous call; 0 at the first one, with which the service begins to measure. */
function turnReader({ pid, line }: StartedService): () => Promise<number> {
  let nth = 0;
  return async () => {
    nth += 1;
    process.kill(pid, 'SIGUSR2');
    return Number(await line(`TURN-${nth}`));
  };
}

function readPage(service: StartedService, nth: number) {
  const path = `/v1/markets/venue_a/leaderboard?sortBy=${['pnl', 'roi', 'vlm'][nth % 3]}&offset=${nth}`;
  return readJson<{ readonly capturedAt: string | null; readonly total: number }>(service, path);
}

/**
 * The results of pages until the first one that shows another board.
 * @param fetchMs the ingestion began so long before the new board was captured.
 */
export function resultsOf(samples: readonly PageSample[], fetchMs: number): BenchResult[] {
  const beganAt = samples.at(-1)!.capturedAt - fetchMs;
  const during = samples.filter(({ at }) => at >= beganAt);
  const before = samples.filter(({ at }) => at < beganAt);
  if (before.length === 0) throw new Error('the second leaderboard was fetched before the first one was served');
  const memory = (list: readonly PageSample[]) => Math.max(...list.map(({ memoryMib }) => memoryMib));
  const alone = { baseline: null, ratio: null };
  return [
    {
      name: 'leaderboard-page',
      value: quantile(
        during.map(({ ms }) => ms),
        0.99,
      ),
      unit: 'ms',
      ...alone,
    },
    { name: 'leaderboard-turn', value: Math.max(...during.map(({ turnMs }) => turnMs)), unit: 'ms', ...alone },
    { name: 'leaderboard-memory', value: memory(during) - memory(before), unit: 'MiB', ...alone },
  ];
}
