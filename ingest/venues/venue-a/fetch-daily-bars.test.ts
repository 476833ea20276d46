import { afterEach, beforeEach, expect, it } from 'vitest';
import { aCandleRange } from '#schemas/testing/records.fixture';
import { venueCandleRangeTopics } from '#schemas/topics/candles';
import { UpstreamError } from '../../feed/errors.ts';
import { until } from '../../testing/open-publisher.fixture.ts';
import { openTestRole, type TestRole, testFolder } from '../../testing/role-context.fixture.ts';
import { startDailyBars } from './fetch-daily-bars.ts';

const TOPIC = venueCandleRangeTopics.venue_a;
const DAY = 86_400_000;
/** Noon of 2026-03-20. */
const NOW = Date.UTC(2026, 2, 20, 12);
const YESTERDAY = Date.UTC(2026, 2, 19);

const closing: (() => Promise<unknown>)[] = [];
let role: TestRole;
let sent: { readonly request: string; readonly weight: number }[];
/** Thrown by the venue while set, but for requests that it answers nevertheless, by their number. */
let failure: Error | null;
let answersNth: (nth: number) => boolean;
beforeEach(async () => {
  const { folder, remove } = await testFolder();
  closing.push(remove);
  role = await openTestRole(folder, {});
  closing.push(() => role.close());
  const { log, codec } = role.context;
  await log.createTopics([TOPIC]);
  await codec.prepare([TOPIC]);
  [sent, failure, answersNth] = [[], null, () => false];
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Appends ranges of responses that cover days of coins. */
async function cover(days: readonly { readonly coin: string; readonly from: number; readonly until: number }[]) {
  const { log, codec } = role.context;
  const { next } = await log.bounds({ topic: TOPIC.name, partition: 0 });
  const records = days.map((range, nth) => {
    const id = `response ${range.from}`;
    const value = codec.encode(TOPIC, aCandleRange({ source: 'official_api', intervalMs: 300_000, id, ...range }));
    return { topic: TOPIC.name, partition: 0, key: range.coin, value, receivedAt: NOW, seq: next + nth + 1 };
  });
  await log.append(records);
}

async function start(coins: readonly string[], delayMs = 1, intervalMs = 1) {
  const fetching = await startDailyBars({
    context: role.context,
    coins: () => coins,
    send: async (request, _signal, weight) => {
      sent.push({ request, weight });
      if (failure && !answersNth(sent.length - 1)) throw failure;
    },
    delayMs,
    intervalMs,
    now: () => NOW,
  });
  closing.push(() => fetching.close());
  return fetching;
}

const requestOf = (coin: string, day: number) =>
  JSON.stringify({ type: 'candleSnapshot', req: { coin, interval: '5m', startTime: day, endTime: day + DAY - 1 } });

it('requests each day of each coin once, the newest days first, except those that the log has', async () => {
  await cover([{ coin: 'BTC', from: YESTERDAY - 3 * DAY, until: YESTERDAY + DAY }]);
  await start(['BTC', 'ETH']);
  await until(() => sent.length === 28);
  expect(sent[0]).toEqual({ request: requestOf('ETH', YESTERDAY), weight: 25 });
  expect(sent.slice(3, 6).map(({ request }) => request)).toEqual([
    requestOf('ETH', YESTERDAY - 3 * DAY),
    requestOf('BTC', YESTERDAY - 4 * DAY),
    requestOf('ETH', YESTERDAY - 4 * DAY),
  ]);
  expect(new Set(sent.map(({ request }) => request)).size).toBe(28);
});

it('continues within a look after failures, and waits for the next look after three in a row', async () => {
  failure = new UpstreamError('upstream_unavailable', 'away');
  answersNth = (nth) => nth % 3 === 2;
  await start(['BTC'], 1, 3_600_000);
  await until(() => sent.length === 16);
  [sent, answersNth] = [[], () => false];
  await start(['ETH'], 1, 3_600_000);
  await until(() => sent.length === 3);
  // It would go on at once.
  await new Promise((resolve) => setImmediate(resolve));
  expect(sent).toHaveLength(3);
});

it('continues with the next request after one that failed', async () => {
  failure = new UpstreamError('upstream_unavailable', 'away');
  await start(['BTC']);
  await until(() => sent.length === 16);
  expect(sent[1]!.request).toBe(requestOf('BTC', YESTERDAY - DAY));
});

it('requests nothing before the delay, and is closed while it waits', async () => {
  const fetching = await start(['BTC'], 3_600_000);
  await fetching.close();
  expect(sent).toEqual([]);
});
