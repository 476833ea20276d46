import { afterEach, describe, expect, it } from 'vitest';
import { loadSettings } from '#infra/config/settings';
import { symbolOf } from '#schemas/venues/venue-a/klines';
import { type Answer, startHttpServer } from '../../../testing/http-server.fixture.ts';
import { openTestPublisher, silentLogger, until } from '../../../testing/open-publisher.fixture.ts';
import { startKlines } from './background.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function open(days: number, answer: (path: string) => Answer) {
  const host = await startHttpServer(({ path }) => answer(path));
  const test = await openTestPublisher();
  closing.push(
    () => host.close(),
    () => test.publisher.close(),
  );
  const settings = loadSettings([], {
    PARALLAX_EXTERNAL_EXCHANGE_URL: host.url,
    PARALLAX_BACKFILL_CANDLES_DAYS: String(days),
  });
  const context = { ...test, settings, logger: silentLogger, expect: () => () => {} };
  const running = startKlines(context, { intervalMs: 20, pauseMs: 0 });
  if (running) closing.push(() => running.close());
  return { ...test, host, running };
}

const onlyBitcoin = (path: string): Answer => {
  const symbols = [{ symbol: symbolOf('BTC'), contractType: 'PERPETUAL', onboardDate: 0 }];
  return { body: path === '/fapi/v1/exchangeInfo' ? JSON.stringify({ symbols }) : '[]' };
};

describe('loading klines in the background', () => {
  it('does nothing by default', async () => {
    const { running, host } = await open(0, onlyBitcoin);
    expect([running, host.requests]).toEqual([null, []]);
  });

  it('loads every length of the days of the setting, and then only the listing of unknown coins', async () => {
    const { raw, host, feeds } = await open(1, onlyBitcoin);
    const listings = () => host.requests.filter(({ path }) => path === '/fapi/v1/exchangeInfo').length;
    await until(() => listings() >= 3);
    const klines = raw('venue_a', 'klines').flatMap(({ request }) => request!.match(/interval=\w+/)?.[0] ?? []);
    expect(klines.slice(0, 4).sort()).toEqual(['interval=15m', 'interval=1h', 'interval=1m', 'interval=5m']);
    expect(feeds('venue_a')).toMatchObject([{ feed: 'venue_a.klines', kind: 'connected' }]);
  });

  it('sends no further request after the exchange refused the region', async () => {
    const { host, metrics } = await open(1, () => ({ status: 451, body: '{}' }));
    await until(() => host.requests.length === 1);
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(host.requests).toHaveLength(1);
    expect(metrics.venueLimits.get('venue_a.klines')).toMatchObject({ limit: 'weight', max: 2_160 });
  });
});
