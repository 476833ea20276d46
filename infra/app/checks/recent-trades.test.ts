/**
 * Follows reads of recent trades from three nodes to the venue and back: equal ones are one request, the response goes
 * into the log like every trade, and a trade that the socket also sends counts once.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Budget } from '#ingest/feed/budget';
import { HttpClient } from '#ingest/feed/http-client';
import type { Received } from '#ingest/publisher/publisher';
import { startRequestServer } from '#ingest/requests/request-server';
import { startHttpServer, type TestHttpServer } from '#ingest/testing/http-server.fixture';
import { silentLogger } from '#ingest/testing/open-publisher.fixture';
import { InfoClient } from '#ingest/venues/venue-a/info-client';
import { createInfoReads } from '#ingest/venues/venue-a/info-reads';
import { driveStage } from '#processors/testing/drive-stage.fixture';
import { createVenueAStage } from '#processors/venues/venue-a/normalise/stage';
import { anInstrument, applyRecord } from '#query-api/testing/records.fixture';
import { createTestApp, type TestApp } from '#query-api/testing/test-app.fixture';
import { VIEWS } from '#query-api/views/views';
import { type Instrument, instrumentTopics, type Trade, tradeTopics } from '#schemas/topics/normalised';
import { feedTopics, rawTopic } from '#schemas/topics/raw';
import { openTestLog } from '../../control/open-test-log.fixture.ts';
import { openRequestClient } from '../../requests/request-client.ts';

const NOW = Date.UTC(2026, 0, 15, 12);
const USERS = [`0x${'a'.repeat(40)}`, `0x${'b'.repeat(40)}`];
const wire = (tid: number, time: number) => {
  return { coin: 'BTC', side: 'B', px: `70${tid}.50`, sz: '0.10', time, hash: `0x${tid}`, tid, users: USERS };
};
/** The venue lists the newest trade first. */
const RECENT = [wire(103, NOW + 2), wire(102, NOW), wire(101, NOW)];

const closing: (() => Promise<unknown>)[] = [];
const published: Received[] = [];
const nodes: TestApp[] = [];
const stage = driveStage(createVenueAStage({ outcomeTakerFeeRate: '0' }));
let venue: TestHttpServer;

beforeAll(async () => {
  venue = await startHttpServer(() => ({ body: JSON.stringify(RECENT) }));
  closing.push(() => venue.close());
  const { log, codec, close } = await openTestLog();
  closing.push(close);
  const budget = new Budget({ max: 1_200, windowMs: 60_000 });
  const http = new HttpClient({ budget, retries: 'reads' });
  const reads = createInfoReads({
    client: new InfoClient({ url: venue.url, http, node: null }),
    budget,
    publisher: { whenReady: async () => {}, receive: (received) => void published.push(received) },
    feed: 'venue_a.info',
  });
  const server = await startRequestServer({ log, codec, logger: silentLogger, handlers: [reads] });
  closing.push(() => server.close());
  for (let node = 0; node < 3; node += 1) {
    const requests = await openRequestClient({ log, codec, logger: silentLogger });
    closing.push(() => requests.close());
    const test = await createTestApp({ app: { requests } });
    closing.push(() => test.app.close());
    Object.assign(test.views, { freshness: { ...test.views.freshness, isLive: () => true } });
    test.setQuery(() =>
      stage
        .emittedTo(tradeTopics.venue_a)
        .toReversed()
        .map((trade) => ({ ...trade, reached: 1 })),
    );
    nodes.push(test);
  }
});
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

/** What ingest leaves out from a time on, as the normaliser passes it on to all nodes. */
function leaveOut(coins: readonly string[], receivedAt: number): void {
  const change = { provider: 'venue_a', feed: 'venue_a.ws', kind: 'trades_left_out', reason: null, coins } as const;
  stage.feed(feedTopics.venue_a, { ...change, receivedAt });
  const newest = (stage.emittedTo(instrumentTopics.venue_a) as Instrument[]).at(-1)!;
  for (const { views } of nodes) applyRecord(VIEWS.coins, views.coins, instrumentTopics.venue_a, 'BTC', newest);
}

async function tradesOf(node: TestApp, limit: number): Promise<{ txHash: string; ts: number; price: number }[]> {
  const response = await node.get(`/v1/markets/venue_a/coins/BTC/trades?limit=${limit}`);
  expect(response.status, response.body).toBe(200);
  return (response.json() as { trades: { txHash: string; ts: number; price: number }[] }).trades;
}

it('a hundred reads on three nodes are one request, whose trades are recorded, once with those of the socket', async () => {
  const envelope = { provider: 'venue_a', receivedAt: NOW, request: null } as const;
  const { sizeDecimals, maxLeverage } = anInstrument();
  const meta = { universe: [{ name: 'BTC', szDecimals: sizeDecimals, maxLeverage }] };
  stage.feed(rawTopic('venue_a', 'info'), {
    ...{ ...envelope, stream: 'info', key: 'venue_a.info', request: '{"type":"meta"}' },
    payload: Buffer.from(JSON.stringify(meta)),
  });
  leaveOut(['BTC'], NOW + 5);

  const reads = await Promise.all(Array.from({ length: 100 }, (_, nth) => tradesOf(nodes[nth % 3]!, 10 + nth)));
  expect(reads[0]!.map(({ txHash, ts, price }) => [txHash, ts, price])).toEqual([
    ['0x103', NOW + 2, 70103.5],
    ['0x102', NOW, 70102.5],
    ['0x101', NOW, 70101.5],
  ]);
  for (const read of reads) expect(read).toEqual(reads[0]);
  expect(venue.requests.map(({ body }) => body)).toEqual(['{"type":"recentTrades","coin":"BTC"}']);

  // The same bytes go through the normaliser; then the socket sends one of these trades and a newer one.
  for (const { payload, request = null } of published)
    stage.feed(rawTopic('venue_a', 'info'), {
      ...{ ...envelope, receivedAt: NOW + 6, stream: 'info', key: 'venue_a.info', request },
      payload: Buffer.from(payload),
    });
  const frame = { channel: 'trades', data: [wire(103, NOW + 2), wire(104, NOW + 3)] };
  stage.feed(rawTopic('venue_a', 'ws'), {
    ...{ ...envelope, receivedAt: NOW + 7, stream: 'ws', key: 'venue_a.ws.0' },
    payload: Buffer.from(JSON.stringify(frame)),
  });
  expect(stage.deadLetters).toEqual([]);
  const recorded = stage.emittedTo(tradeTopics.venue_a) as Trade[];
  expect(recorded.map(({ tradeId }) => tradeId)).toEqual(['101', '102', '103', '104']);

  leaveOut([], NOW + 8);
  const [later] = nodes;
  expect((await tradesOf(later!, 200)).map(({ txHash }) => txHash)).toEqual(['0x104', '0x103', '0x102', '0x101']);
  expect(venue.requests).toHaveLength(1);
});
