/** Loading klines against the enforced limits of the simulated exchange, both scaled down. */
import { afterEach, expect, it } from 'vitest';
import { MemoryLog } from '#ingest/testing/memory-log.fixture';
import { openTestPublisher, silentLogger } from '#ingest/testing/open-publisher.fixture';
import { ExchangeClient } from '#ingest/venues/venue-a/klines/exchange-client';
import { loadKlines } from '#ingest/venues/venue-a/klines/load-klines';
import { LoadedKlines } from '#ingest/venues/venue-a/klines/loaded-klines';
import { startExchange } from '../../simulator/start-exchange.ts';

const LIMITS = { weight: 120, windowMs: 600 };

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A process that ends after some requests; its successor knows of no weight that it used. */
async function load(url: string, log: MemoryLog, requests: number): Promise<boolean> {
  const ending = new AbortController();
  const test = await openTestPublisher({ log });
  try {
    await loadKlines({
      coins: ['BTC'],
      intervals: ['1m'],
      days: 30,
      client: new ExchangeClient({ url, metrics: test.metrics, logger: silentLogger, limits: LIMITS }),
      loaded: await LoadedKlines.open(log, test.codec, ending.signal),
      publisher: test.publisher,
      signal: ending.signal,
      onProgress: (done) => done >= requests && ending.abort(),
    });
    return true;
  } catch (error) {
    if (!ending.signal.aborted) throw error;
    return false;
  } finally {
    await test.publisher.close();
  }
}

it('stays within the limits, also if the process ends again and again', async () => {
  const seen: string[] = [];
  const exchange = await startExchange({ seed: 3, limit: LIMITS, onRequest: (request) => void seen.push(request) });
  closing.push(() => exchange.close());
  const log = new MemoryLog();
  for (const requests of [4, 9, 3, 12]) expect(await load(exchange.url, log, requests)).toBe(false);
  expect(await load(exchange.url, log, 100)).toBe(true);
  expect(exchange.limitExceeded()).toBe(0);
  // The list of symbols and 29 requests of 1,500 minutes, each once.
  expect([seen.length, new Set(seen).size]).toEqual([30, 30]);
});

it('waits as it is demanded if another program uses up the limit, and then goes on', async () => {
  const exchange = await startExchange({ seed: 3, limit: LIMITS });
  closing.push(() => exchange.close());
  const other = `${exchange.url}/fapi/v1/klines?symbol=BTCUSDT&interval=1m&limit=1500`;
  for (let nth = 0; nth < 12; nth += 1) {
    const response = await fetch(other, { signal: AbortSignal.timeout(10_000) });
    // A body that nobody reads occupies its connection.
    await response.arrayBuffer();
  }
  expect(await load(exchange.url, new MemoryLog(), 100)).toBe(true);
  // The first request found no room.
  expect(exchange.limitExceeded()).toBeLessThanOrEqual(1);
});
