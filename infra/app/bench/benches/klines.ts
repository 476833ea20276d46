/**
 * Klines per second from the responses of the external exchange to the table: published raw, read by their stage from the
 * log, emitted, and inserted by the sink, all at once in one process as in a service. The baseline parses the same
 * responses and inserts the same rows as objects with a bare `@clickhouse/client` over chDB, into a table of the same
 * schema, in batches as large as those of the sink.
 *
 * Sources of error: bars that were stored before and are dropped early (each round has other days); small rounds, in
 * which the wait of the sink for more rows counts (a round has some ten thousand rows); the other topics of the sink,
 * which are empty; merges of one table during the rounds of the other.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@clickhouse/client';
import { createChdbConnection } from 'chdb/connection';
import { openPublisher } from '#ingest/publisher/open-publisher';
import { BATCH_ROWS } from '#processors/sink/sink-context';
import { startSink } from '#processors/sink/start-sink';
import { createKlinesStage } from '#processors/venues/venue-a/klines/stage';
import { EXCHANGE_SOURCE, INTERVALS } from '#schemas/domain/candles/sources';
import { candleBarsTable } from '#schemas/tables/candle-bars';
import { SINK_GROUP } from '#schemas/tables/sink-group';
import { externalCandleRangeTopic, externalCandleTopic } from '#schemas/topics/candles';
import type { Topic } from '#schemas/topics/topic';
import { KLINES_MAX, klineRequest } from '#schemas/venues/venue-a/klines';
import { closeInReverse } from '../../../runtime/closing.ts';
import type { RoleContext } from '../../../runtime/context.ts';
import { runStage } from '../../../stages/run-stage.ts';
import { openService } from '../../simulated-service.ts';
import { klineRows } from '../../simulator/venues/venue-a/exchange/klines.ts';
import { makeCoins } from '../../simulator/world/coins.ts';
import type { Bench, BenchContext } from '../bench.ts';
import { alternate, type Measurement, rateResult, timedAsync } from '../measure.ts';

const RESPONSES = 40;
const ROUNDS = 7;
const WARMUPS = 2;
const SEED = 1;
const SPAN_MS = KLINES_MAX * INTERVALS['1m'];
/** End of the newest klines. */
const UNTIL_MS = Math.floor(Date.UTC(2026, 0, 15) / SPAN_MS) * SPAN_MS;
const BARE_TABLE = 'candle_bars_bare';
const POLL_MS = 2;
const TIMEOUT_MS = 60_000;

type ClientOptions = NonNullable<Parameters<typeof createClient>[0]>;

interface KlinesSize {
  /** Responses of a round. */
  readonly responses: number;
  readonly rounds: number;
  readonly warmups: number;
}

export const klines: Bench = {
  aims: { klines: { ratioMin: 0.5 } },
  run: (context) => measureKlines(context, { responses: RESPONSES, rounds: ROUNDS, warmups: WARMUPS }),
};

/** Exported for tests, which use a smaller size. */
export async function measureKlines({ folder, onProgress }: BenchContext, size: KlinesSize) {
  const service = await openService(join(folder, 'service'));
  const closers = [() => service.close()];
  try {
    const pipeline = await startPipeline(service.context);
    closers.push(() => pipeline.close());
    const bare = await openBare(service.context);
    closers.push(() => bare.close());
    let untilMs = UNTIL_MS;
    let responses: readonly Response[] = [];
    const subject = () => {
      responses = Array.from({ length: size.responses }, () => {
        untilMs -= SPAN_MS;
        return responseOf(untilMs);
      });
      return timedAsync(() => pipeline.load(responses));
    };
    const baseline = () => timedAsync(() => bare.load(responses));
    const { rounds, warmups } = size;
    const compared = async (): Promise<Measurement> => {
      const measured = await subject();
      if (measured.units !== barsOf(responses)) throw new Error('the table has other bars than the responses');
      return measured;
    };
    const rates = await alternate(compared, baseline, { rounds, warmups, onProgress });
    return [rateResult('klines', 'rows/s', rates)];
  } finally {
    await closeInReverse(closers);
  }
}

interface Response {
  readonly request: string;
  readonly payload: Buffer;
}

function responseOf(fromMs: number): Response {
  const untilMs = fromMs + SPAN_MS;
  const rows = klineRows(SEED, makeCoins(SEED, 1)[0]!, INTERVALS['1m'], { fromMs, untilMs, nowMs: untilMs });
  return { request: klineRequest('BTC', '1m', { from: fromMs, until: untilMs }), payload: Buffer.from(`[${rows}]`) };
}

type KlineRow = [number, string, string, string, string, string, number, string, number];
const parse = ({ payload }: Response) => JSON.parse(payload.toString()) as readonly KlineRow[];
const isTraded = (row: KlineRow) => Number(row[5]) > 0;
const barsOf = (responses: readonly Response[]) => responses.flatMap(parse).filter(isTraded).length;

/** Starts what a service does with klines. `load` resolves with the number of rows that are in the table then. */
async function startPipeline(context: RoleContext) {
  const { log } = context;
  const noted = () => {};
  const publisher = await openPublisher({ ...context, time: 'live', onLogStatus: noted, onFailure: noted });
  const stage = await runStage({ ...context, stage: createKlinesStage() });
  const sink = await startSink(context);
  const at = ({ name }: Pick<Topic, 'name'>) => ({ topic: name, partition: 0 });
  const [bars, ranges] = [at(externalCandleTopic), at(externalCandleRangeTopic)];
  const nextOf = async (partition: typeof bars) => (await log.bounds(partition)).next;
  const isStored = async (partition: typeof bars) =>
    (await log.committed(SINK_GROUP, [partition]))[0] === (await nextOf(partition));
  let rangesDone = 0;
  let barsDone = 0;
  return {
    async load(responses: readonly Response[]): Promise<number> {
      rangesDone += responses.length;
      for (const response of responses) {
        await publisher.whenReady();
        publisher.receive({ source: 'venue_a.klines', feed: 'venue_a.klines', ...response });
      }
      const deadline = Date.now() + TIMEOUT_MS;
      // The range of a response follows its bars.
      while ((await nextOf(ranges)) < rangesDone || !(await isStored(ranges)) || !(await isStored(bars))) {
        if (Date.now() > deadline) throw new Error('the klines are not in the table in time');
        await sleep(POLL_MS);
      }
      const before = barsDone;
      barsDone = await nextOf(bars);
      return barsDone - before;
    },
    close: () => closeInReverse([() => publisher.close(), () => stage.close(), () => sink.close()].reverse()),
  };
}

/** Opens a second client on the same engine and database. */
async function openBare({ store, settings }: RoleContext) {
  await store.command(`CREATE TABLE ${BARE_TABLE} AS ${candleBarsTable.name}`);
  const connection = createChdbConnection({ path: join(settings.dataDir, 'store') }) as unknown;
  const client = createClient({ connection: connection as NonNullable<ClientOptions['connection']> });
  await client.command({ query: `USE ${store.database}` });
  const own = { provider: 'venue_a_perp', coin: 'BTC', source: EXCHANGE_SOURCE, intervalMs: INTERVALS['1m'] };
  return {
    async load(responses: readonly Response[]): Promise<number> {
      let inserted = 0;
      let waiting: object[] = [];
      const insert = async (count: number) => {
        const values = waiting.slice(0, count);
        waiting = waiting.slice(count);
        inserted += values.length;
        await client.insert({ table: BARE_TABLE, values, format: 'JSONEachRow' });
      };
      for (const response of responses) {
        for (const row of parse(response)) {
          if (!isTraded(row)) continue;
          const [openTime, open, high, low, close, volume, , , trades] = row;
          waiting.push({ ...own, openTime, receivedAt: UNTIL_MS, open, high, low, close, volume, trades });
        }
        while (waiting.length >= BATCH_ROWS) await insert(BATCH_ROWS);
      }
      if (waiting.length > 0) await insert(waiting.length);
      return inserted;
    },
    close: () => client.close(),
  };
}
