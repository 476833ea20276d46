import { afterEach, describe, expect, it } from 'vitest';
import { LogError } from '#infra/log/log';
import { rawTopic } from '#schemas/topics/raw';
import { LISTING_REQUEST, readKlineRequest, symbolOf } from '#schemas/venues/venue-a/klines';
import { type Answer, startHttpServer } from '../../../testing/http-server.fixture.ts';
import { MemoryLog } from '../../../testing/memory-log.fixture.ts';
import { openTestPublisher, silentLogger } from '../../../testing/open-publisher.fixture.ts';
import { ExchangeClient, SOURCE } from './exchange-client.ts';
import { type LoadOptions, loadKlines } from './load-klines.ts';
import { LoadedKlines } from './loaded-klines.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** The start of a day, and of the test's time. */
const TODAY = Math.floor(Date.now() / DAY) * DAY;
const RAW = rawTopic('venue_a', 'klines');

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const json = (body: unknown, status = 200): Answer => ({ status, body: JSON.stringify(body) });
const listing = (...coins: ('BTC' | 'ETH')[]) =>
  json({ symbols: coins.map((coin) => ({ symbol: symbolOf(coin), contractType: 'PERPETUAL', onboardDate: 1_000 })) });

/** Each row of a request; one in ten has no volume. */
function rowsOf(path: string): Answer {
  const { startTime, endTime, intervalMs } = readKlineRequest(`GET ${path}`)!;
  const rows: unknown[] = [];
  for (let open = startTime!; open <= endTime!; open += intervalMs) {
    const volume = (open / intervalMs) % 10 === 0 ? '0' : '1.5';
    rows.push([open, '1', '1', '1', '1', volume, open + intervalMs - 1, '1.5', 1, '1', '1', '0']);
  }
  return json(rows);
}

/** The exchange, whose answers a test can replace. */
async function startExchange(answer: (path: string, nth: number) => Answer | null = () => null) {
  let count = 0;
  const server = await startHttpServer(({ path }) => {
    count += 1;
    return answer(path, count) ?? (path.startsWith('/fapi/v1/exchangeInfo') ? listing('BTC', 'ETH') : rowsOf(path));
  });
  closing.push(() => server.close());
  return { ...server, paths: () => server.requests.map(({ path }) => path) };
}

/** One process: it opens the log, loads and ends. */
async function run(url: string, log: MemoryLog, change: Partial<LoadOptions> = {}) {
  const test = await openTestPublisher({ log });
  const { signal } = new AbortController();
  try {
    const client = new ExchangeClient({
      url,
      metrics: test.metrics,
      logger: silentLogger,
      limits: { weight: 2_400, windowMs: 200 },
    });
    const result = await loadKlines({
      coins: ['BTC'],
      intervals: ['1h'],
      days: 200,
      client,
      loaded: await LoadedKlines.open(log, test.codec, change.signal ?? signal),
      publisher: test.publisher,
      signal,
      now: () => TODAY + 20_000,
      ...change,
    });
    return { ...result, requests: client.requests, raw: test.raw('venue_a', 'klines') };
  } finally {
    await test.publisher.close();
  }
}

describe('loading klines', () => {
  it('requests the listing and the newest klines first, and publishes every answer as it came', async () => {
    const exchange = await startExchange();
    const progress: string[] = [];
    const { bars, requests, raw, unknownCoins } = await run(exchange.url, new MemoryLog(), {
      onProgress: (done, total) => void progress.push(`${done}/${total}`),
    });
    const spans = raw.slice(1).map(({ request }) => readKlineRequest(request)!);
    expect(raw.map(({ request }) => request)[0]).toBe(LISTING_REQUEST);
    expect(spans.map(({ startTime, limit }) => [(TODAY - startTime!) / HOUR, limit])).toEqual([
      [1_500, 1_500],
      [3_000, 1_500],
      [4_500, 1_500],
      [4_800, 300],
    ]);
    expect(raw.map(({ request }) => request!.slice('GET '.length))).toEqual(exchange.paths());
    expect(raw[4]!.payload.toString()).toBe(rowsOf(exchange.paths()[4]!).body);
    expect([requests, bars, unknownCoins]).toEqual([5, 4_320, []]);
    expect(progress).toEqual(['0/4', '1/4', '2/4', '3/4', '4/4']);
  });

  it('requests nothing again, also if retention removed every answer', async () => {
    const exchange = await startExchange();
    const log = new MemoryLog();
    await run(exchange.url, log);
    await log.clearTopic(RAW.name);
    expect(await run(exchange.url, log)).toMatchObject({ requests: 0, bars: 0 });
    // A day later only that day is new.
    const { requests, bars } = await run(exchange.url, log, { now: () => TODAY + DAY + 20_000 });
    expect([requests, bars, exchange.paths().at(-1)]).toEqual([
      1,
      expect.any(Number),
      expect.stringContaining(`startTime=${TODAY}`),
    ]);
    expect(bars).toBeGreaterThan(20);
  });

  it('notes an answer that a killed process published and did not note', async () => {
    const exchange = await startExchange();
    const log = new MemoryLog();
    // The process ends between the two appends: after the second answer of klines.
    let answers = 0;
    const append = log.append.bind(log);
    log.append = async (records) => {
      if (records.some(({ topic }) => topic === RAW.name)) answers += 1;
      if (answers === 3 && records.some(({ topic }) => topic === 'control.loaded-klines'))
        throw new LogError('log_closed', 'killed');
      await append(records);
    };
    await expect(run(exchange.url, log)).rejects.toMatchObject({ code: 'log_closed' });
    log.append = append;
    const { requests, raw } = await run(exchange.url, log);
    expect(requests).toBe(2);
    expect(new Set(raw.map(({ request }) => request)).size).toBe(raw.length);
    expect(raw).toHaveLength(5);
  });

  it.each([
    ['a request with a malformed number', 'startTime=abc', '[]'],
    ['a negative limit', 'limit=-1', '[]'],
    ['a malformed answer', 'startTime=0', '{'],
  ])('is not stopped by a newest record with %s, as a recording can have', async (_, parameter, payload) => {
    const log = new MemoryLog();
    const { publisher } = await openTestPublisher({ log });
    const request = `GET /fapi/v1/klines?symbol=${symbolOf('BTC')}&interval=1h&${parameter}`;
    publisher.receive({ source: SOURCE, feed: SOURCE, request, payload: Buffer.from(payload) });
    await publisher.close();
    expect(await run((await startExchange()).url, log)).toMatchObject({ bars: 4_320, requests: 5 });
  });

  it('skips coins that are not listed, and those whose symbol is unknown after all', async () => {
    const exchange = await startExchange((path) =>
      path.includes('symbol=ETH') ? json({ code: -1121, msg: 'Invalid symbol.' }, 400) : null,
    );
    const result = await run(exchange.url, new MemoryLog(), { coins: ['TAO', 'ETH', 'BTC'] });
    expect(result).toMatchObject({ unknownCoins: ['TAO', 'ETH'], bars: 4_320, requests: 6 });
  });

  it.each([451, 403])('ends at once if the exchange refuses the region with %i', async (status) => {
    const exchange = await startExchange(() => json({ code: 0, msg: 'restricted location' }, status));
    await expect(run(exchange.url, new MemoryLog())).rejects.toMatchObject({
      code: 'upstream_rejected',
      status,
      message: expect.stringContaining('refuses requests from here'),
    });
    expect(exchange.requests).toHaveLength(1);
  });

  it.each([429, 418])('waits after %i as long as the exchange demands', async (status) => {
    const times: number[] = [];
    const exchange = await startExchange((_, nth) => {
      times.push(performance.now());
      return nth === 2 ? { status, headers: { 'retry-after': '1' } } : null;
    });
    const { requests, raw } = await run(exchange.url, new MemoryLog());
    expect([requests, raw.length]).toEqual([6, 5]);
    expect(times[2]! - times[1]!).toBeGreaterThan(950);
  });

  it.each([429, 418])('waits for a second at least after %i, also if the exchange demands no time', async (status) => {
    const times: number[] = [];
    const exchange = await startExchange((_, nth) => {
      times.push(performance.now());
      return nth === 2 || nth === 3 ? { status, headers: { 'retry-after': '0' } } : null;
    });
    await run(exchange.url, new MemoryLog());
    expect(times[2]! - times[1]!).toBeGreaterThan(950);
    expect(times[3]! - times[2]!).toBeGreaterThan(950);
  });

  it('waits for a window if the exchange states that hardly any weight is left', async () => {
    const times: number[] = [];
    const exchange = await startExchange((path, nth) => {
      times.push(performance.now());
      return nth === 2 ? { ...rowsOf(path), headers: { 'X-MBX-USED-WEIGHT-1M': '2390' } } : null;
    });
    await run(exchange.url, new MemoryLog());
    expect(times[2]! - times[1]!).toBeGreaterThan(190);
  });

  it('requests again after an answer that is not as documented, and publishes only the good one', async () => {
    const exchange = await startExchange((_, nth) => (nth === 2 ? json({ oops: 1 }) : null));
    const { requests, raw } = await run(exchange.url, new MemoryLog());
    expect([requests, raw.length]).toEqual([6, 5]);
  });

  it('rejects an error of the request itself', async () => {
    const exchange = await startExchange((_, nth) => (nth === 2 ? json({ code: -1100 }, 400) : null));
    await expect(run(exchange.url, new MemoryLog())).rejects.toMatchObject({ status: 400 });
  });

  it('ends with the reason of the signal', async () => {
    const ending = new AbortController();
    const exchange = await startExchange((_, nth) => {
      if (nth === 2) ending.abort(new Error('closing'));
      return null;
    });
    await expect(run(exchange.url, new MemoryLog(), { signal: ending.signal })).rejects.toThrow('closing');
  });
});
