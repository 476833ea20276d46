/**
 * Follows reads of candles from three nodes to the venue and back: equal ones are one request, overlapping ones request
 * no bar twice, the responses are those that the normaliser stores, and what is stored is not requested again.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { driveStage } from '#processors/testing/drive-stage.fixture';
import { createVenueAStage } from '#processors/venues/venue-a/normalise/stage';
import { CandleStore } from '#query-api/testing/candle-store.fixture';
import { anInstrument, applyRecord } from '#query-api/testing/records.fixture';
import type { TestApp } from '#query-api/testing/test-app.fixture';
import { VIEWS } from '#query-api/views/views';
import { venueCandleRangeTopics, venueCandleTopics } from '#schemas/topics/candles';
import { instrumentTopics } from '#schemas/topics/normalised';
import { rawTopic } from '#schemas/topics/raw';
import { startThreeNodes, type ThreeNodes } from './three-nodes.fixture.ts';

const MINUTE = 60_000;
/** The middle of a minute, so that no bucket ends meanwhile. */
const NOW = Math.floor(Date.now() / MINUTE) * MINUTE + MINUTE / 2;

const store = new CandleStore();
let three: ThreeNodes;

/** The venue's bars between the bounds of a request. */
function answer(body: string): string {
  const { coin, interval, startTime, endTime } = JSON.parse(body).req;
  const bars: object[] = [];
  for (let t = startTime; t <= endTime; t += MINUTE) {
    const px = `${1_000 + ((t / MINUTE) % 1_000)}.5`;
    bars.push({ t, T: t + MINUTE - 1, s: coin, i: interval, o: px, c: px, h: px, l: px, v: '0.10', n: 3 });
  }
  return JSON.stringify(bars);
}

beforeAll(async () => {
  three = await startThreeNodes(answer, NOW, { store: store as never });
  for (const { views } of three.nodes)
    applyRecord(VIEWS.coins, views.coins, instrumentTopics.venue_a, 'BTC', anInstrument());
});
afterAll(() => three.close());

/** Candles that were closed, each with another spelling of the window, so that no cached response is served. */
async function candlesOf(node: TestApp, limit: number, nth: number): Promise<unknown[]> {
  const end = Math.floor(NOW / MINUTE) * MINUTE + nth;
  const response = await node.get(`/v1/markets/venue_a/coins/BTC/candles?interval=1m&limit=${limit}&end_time=${end}`);
  expect(response.status, response.body).toBe(200);
  return (response.json() as { candles: unknown[] }).candles;
}

/** Stores what was published as the normaliser and the sink do. */
function storePublished(): void {
  const stage = driveStage(createVenueAStage({ outcomeTakerFeeRate: '0' }));
  for (const { payload, request = null } of three.published) {
    const envelope = { provider: 'venue_a', stream: 'info', key: 'venue_a.info', receivedAt: NOW, request } as const;
    stage.feed(rawTopic('venue_a', 'info'), { ...envelope, requestedAt: null, payload: Buffer.from(payload) });
  }
  expect(stage.deadLetters).toEqual([]);
  store.addBars(stage.emittedTo(venueCandleTopics.venue_a));
  store.addRanges(stage.emittedTo(venueCandleRangeTopics.venue_a));
}

it('a hundred equal reads on three nodes are one request, and what it returned is stored and not requested again', async () => {
  const { nodes, venue } = three;
  const reads = Array.from({ length: 100 }, (_, nth) => candlesOf(nodes[nth % 3]!, 20, nth));
  const [first, ...others] = await Promise.all(reads);
  expect(first).toHaveLength(20);
  expect(first![0]).toMatchObject({ volume: 0.1, source: 'official_api' });
  for (const other of others) expect(other).toEqual(first);
  expect(venue.requests).toHaveLength(1);

  storePublished();
  const longer = await candlesOf(nodes[0]!, 30, 200);
  expect(longer).toHaveLength(30);
  expect(longer.slice(10)).toEqual(first);
  expect(venue.requests.map(({ body }) => JSON.parse(body).req.endTime + 1)).toEqual([
    Math.floor(NOW / MINUTE) * MINUTE,
    Math.floor(NOW / MINUTE) * MINUTE - 20 * MINUTE,
  ]);
  storePublished();
  expect(await candlesOf(nodes[1]!, 30, 300)).toEqual(longer);
  expect(venue.requests).toHaveLength(2);
});

/** Every minute that was requested from the venue since some request, sorted. */
function minutesRequested(since: number): number[] {
  const ranges = three.venue.requests.slice(since).map(({ body }) => JSON.parse(body).req);
  return ranges
    .flatMap(({ startTime, endTime }) => {
      const count = Math.floor((endTime - startTime) / MINUTE) + 1;
      return Array.from({ length: count }, (_, nth) => startTime + nth * MINUTE);
    })
    .sort((a, b) => a - b);
}

it('reads of windows that overlap request no bar twice, on whatever nodes they are', async () => {
  const end = Math.floor(NOW / MINUTE) * MINUTE - 1_000 * MINUTE;
  const since = three.venue.requests.length;
  const windows = [0, 5, 10, 3].map((shift) => end + shift * MINUTE);
  const read = async (until: number, nth: number) => {
    const path = `/v1/markets/venue_a/coins/BTC/candles?interval=1m&limit=20&end_time=${until}`;
    const response = await three.nodes[nth % 3]!.get(path);
    expect(response.status, response.body).toBe(200);
    return (response.json() as { candles: { ts: number; source: string }[] }).candles;
  };
  const responses = await Promise.all(windows.map(read));
  for (const [nth, candles] of responses.entries()) {
    expect(candles.map(({ ts }) => (windows[nth]! - ts) / MINUTE)).toEqual(
      Array.from({ length: 20 }, (_, at) => 20 - at),
    );
    expect(new Set(candles.map(({ source }) => source))).toEqual(new Set(['official_api']));
  }
  const requested = minutesRequested(since);
  expect(requested).toHaveLength(30);
  expect(new Set(requested).size).toBe(30);
});
