/** `npm run backfill -- candles` as users run it, against the simulated exchange. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { startHttpServer } from '#ingest/testing/http-server.fixture';
import { silentLogger } from '#ingest/testing/open-publisher.fixture';
import { runSinkOnce } from '#processors/sink/run-sink-once';
import { createKlinesStage } from '#processors/venues/venue-a/klines/stage';
import { readCandles } from '#query-api/queries/read-candles';
import { type Candle, externalCandleRangeTopic, externalCandleTopic } from '#schemas/topics/candles';
import { type Kline, readKlines } from '#schemas/venues/venue-a/klines';
import { loadSettings } from '../../../config/settings.ts';
import { openEmbeddedLog } from '../../../log/embedded/open-embedded-log.ts';
import { readPartition } from '../../../log/read-partition.ts';
import { runStage } from '../../../stages/run-stage.ts';
import { createMetrics } from '../../../telemetry/metrics.ts';
import { gatherFrom } from '../../../testing/logs/gather.ts';
import { runCommand } from '../../checks/e2e/command.ts';
import { temporaryFolder } from '../../checks/e2e/service.ts';
import { PROJECT_ROOT } from '../../checks/sources.ts';
import { startExchange } from '../../simulator/start-exchange.ts';
import { klineRows } from '../../simulator/venues/venue-a/exchange/klines.ts';
import { makeCoins } from '../../simulator/world/coins.ts';
import { backfill } from '../commands/backfill.ts';
import { openPorts } from '../ports.ts';

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;
const DAYS = 730;
/** Two years of minutes are a million bars, which take the test half a minute of processor time. */
const LENGTH = 5 * MINUTE;
/** Requests of 1,500 bars, and the list of symbols. */
const UNDISTURBED = Math.ceil((DAYS * DAY) / LENGTH / 1_500) + 1;
const KILLS = 5;
const SEED = 3;
const TEST_TIMEOUT_MS = 300_000;

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function folder(): string {
  const created = temporaryFolder('parallax-backfill');
  closing.push(() => created.remove());
  return created.path;
}

/** Flags and variables of the command with an exchange and a data directory. */
const argvOf = (dataDir: string, ...more: string[]) => ['candles', '--venues', 'live', '--data-dir', dataDir, ...more];
const envOf = (url: string) => ({ PARALLAX_EXTERNAL_EXCHANGE_URL: url });

/** Starts the command; resolves with the signal or the code that ended it. */
function start(argv: readonly string[], env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [join(PROJECT_ROOT, 'infra/app/cli/parallax.mjs'), 'backfill', ...argv], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  gatherFrom(child, 'command');
  const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve(signal ?? code)));
  return { child, ended };
}

function figuresOf({ openTime, open, high, low, close, volume, trades }: Kline) {
  return { openTime, open, high, low, close, volume, trades };
}

/** The bars that a stage and the sink make of the log, by their start. */
async function barsIn(dataDir: string) {
  const ports = await openPorts(loadSettings(['--data-dir', dataDir], {}), { claim: false });
  try {
    const context = { ...ports, logger: silentLogger, metrics: createMetrics() };
    await (await runStage({ ...context, stage: createKlinesStage(), mode: 'rebuild' })).stopped;
    const bars: Candle[] = [];
    await readPartition(ports.log, { topic: externalCandleTopic.name, partition: 0 }, ({ value }) => {
      bars.push(ports.codec.decode(externalCandleTopic, value!));
    });
    const ranges = new Map<string, string>();
    await readPartition(ports.log, { topic: externalCandleRangeTopic.name, partition: 0 }, ({ value }) => {
      const { id, kind, from, until } = ports.codec.decode(externalCandleRangeTopic, value!);
      ranges.set(id, `${kind} ${(until! - from) / DAY}`);
    });
    await runSinkOnce(context);
    const [row] = await ports.store.query<{ bars: string; times: string }>(
      "SELECT count() AS bars, uniqExact(openTime) AS times FROM candle_bars WHERE source = 'external_exchange'",
    );
    // Bars of yesterday are older than the run.
    const end = Math.floor(Date.now() / DAY) * DAY - DAY;
    const window = { interval: '5m' as const, start: end - DAY, end, limit: 500 };
    const coin = { provider: 'venue_a_perp', coin: 'BTC' };
    const { candles } = await readCandles(ports.store, coin, window, Date.now());
    return {
      bars,
      ranges,
      candles: candles.toArray(),
      window,
      table: { bars: Number(row!.bars), times: Number(row!.times) },
    };
  } finally {
    await ports.close();
  }
}

describe('a backfill that is killed five times', () => {
  it(
    'ends with the right bars, none twice, and with hardly more requests than an undisturbed one',
    async () => {
      let requests = 0;
      /** Requests for bars that were closed after the first start: an undisturbed run would not send them. */
      let newBars = 0;
      let onRequest = () => {};
      const startedAt = Date.now();
      const exchange = await startExchange({
        seed: SEED,
        onRequest: (request) => {
          requests += 1;
          if (Number(/startTime=(\d+)/.exec(request)?.[1] ?? 0) >= startedAt - 2 * LENGTH) newBars += 1;
          onRequest();
        },
      });
      closing.push(() => exchange.close());
      const dataDir = join(folder(), 'not', 'yet');
      const argv = argvOf(dataDir, '--coins', 'BTC', '--intervals', '5m', '--days', String(DAYS));

      const places = Array.from({ length: KILLS }, () => 1 + Math.floor(Math.random() * (UNDISTURBED - 10)));
      for (const place of places.sort((a, b) => a - b)) {
        const { child, ended } = start(argv, envOf(exchange.url));
        const due = Math.max(place, requests + 1);
        onRequest = () => {
          // At some moment until about the next request.
          if (requests === due) setTimeout(() => child.kill('SIGKILL'), Math.random() * 20);
        };
        expect(await ended, `killed at ${places}`).toBe('SIGKILL');
      }
      onRequest = () => {};
      const last = await runCommand('backfill', [...argv, '--json'], envOf(exchange.url));
      expect(last.code, last.err).toBe(0);
      expect(requests - newBars, `killed at ${places}`).toBeLessThan(UNDISTURBED * 1.05);
      expect(Object.keys(JSON.parse(last.out))).toEqual(['requests', 'bars']);
      expect(exchange.limitExceeded()).toBe(0);

      const { bars, ranges, candles, window, table } = await barsIn(dataDir);
      const fromMs = Math.floor((startedAt - DAYS * DAY) / LENGTH) * LENGTH + 3 * LENGTH;
      const untilMs = Math.floor(startedAt / LENGTH) * LENGTH - LENGTH;
      const asset = makeCoins(SEED, 1)[0]!;
      const rows = klineRows(SEED, asset, LENGTH, { fromMs, untilMs, nowMs: untilMs });
      const expected = readKlines(JSON.parse(`[${rows.join(',')}]`), LENGTH)
        .filter(({ volume }) => volume !== '0')
        .map(figuresOf);
      const found = bars
        .filter(({ openTime }) => openTime >= fromMs && openTime < untilMs)
        .sort((a, b) => a.openTime - b.openTime)
        .map(figuresOf);
      expect(found.length).toBe(expected.length);
      // A comparison of texts takes a fraction of the time.
      if (JSON.stringify(found) !== JSON.stringify(expected)) expect(found).toEqual(expected);
      expect(new Set(bars.map(({ openTime }) => openTime)).size).toBe(bars.length);
      expect(table).toEqual({ bars: bars.length, times: bars.length });
      expect([...ranges.values()].filter((range) => range.startsWith('complete'))).toHaveLength(1);

      // REST serves these bars.
      expect(candles).toEqual(
        expected
          .filter(({ openTime }) => openTime >= window.start && openTime < window.end)
          .map(({ openTime, ...figures }) => ({ ts: openTime, ...figures, source: 'external_exchange' })),
      );

      requests = 0;
      const again = await runCommand('backfill', [...argv, '--json'], envOf(exchange.url));
      expect(again.code, again.err).toBe(0);
      // At most the bars since the last run.
      expect(requests).toBeLessThanOrEqual(1);
      expect(JSON.parse(again.out).requests).toBe(requests);
    },
    TEST_TIMEOUT_MS,
  );
});

describe('the command', () => {
  const few = ['--intervals', '1h', '--days', '1'];

  it('skips a coin that the exchange does not know, and exits with 1', async () => {
    const exchange = await startExchange({ seed: SEED, unlisted: ['SOL'] });
    closing.push(() => exchange.close());
    const { code, out, err } = await runCommand(
      'backfill',
      argvOf(folder(), '--coins', 'SOL,BTC', ...few),
      envOf(exchange.url),
    );
    expect([code, out, err]).toEqual([
      1,
      expect.stringMatching(/^2 requests, \d\d bars stored\n$/),
      'parallax backfill: the exchange does not know SOL; it was skipped\n',
    ]);
  });

  it('ends with one line if the exchange refuses the region', async () => {
    const refusing = await startHttpServer(() => ({ status: 451, body: '{"code":0}' }));
    closing.push(() => refusing.close());
    const { code, out, err } = await runCommand('backfill', argvOf(folder(), ...few, '--json'), envOf(refusing.url));
    expect([code, out, err.trimEnd().split('\n')]).toEqual([
      1,
      '',
      [expect.stringMatching(/^parallax backfill: the external exchange refuses requests from here: .* answered 451$/)],
    ]);
  });

  it('is refused with one line beside a process that writes the log', async () => {
    const dataDir = folder();
    const log = await openEmbeddedLog({ path: join(dataDir, 'log') });
    closing.push(() => log.close());
    const { code, out, err } = await runCommand('backfill', argvOf(dataDir, ...few), envOf('http://127.0.0.1:1'));
    expect([code, out, err.trimEnd().split('\n')]).toEqual([
      2,
      '',
      [expect.stringContaining('a process with the role ingest uses this log')],
    ]);
  });

  it.each([
    [['candles', '--coins', 'BTC,XYZ'], '--coins cannot be "BTC,XYZ"; accepted: a comma-separated list of BTC, ETH'],
    [['candles', '--coins='], '--coins cannot be empty; accepted: a comma-separated list of BTC, ETH'],
    [
      ['candles', '--intervals', '4h'],
      '--intervals cannot be "4h"; accepted: a comma-separated list of 1m, 5m, 15m, 1h',
    ],
    [['candles', '--days', '0'], '--days cannot be "0"; accepted: an integer from 1 to 3650'],
    [['trades'], 'cannot load "trades"; accepted: candles'],
    [[], 'accepted: candles'],
    [['candles', '--venues', 'recording:/tmp'], 'a recording has no exchange to load from; accepted: sim, live'],
  ])('refuses %j, and names what it accepts', async (argv, message) => {
    await expect(backfill.run(argv)).rejects.toThrow(message);
  });
});
