/**
 * Follows reads of recent trades from three nodes to the venue and back: equal ones are one request, the response goes
 * into the log like every trade, and a trade that the socket also sends counts once.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { driveStage } from '#processors/testing/drive-stage.fixture';
import { createVenueAStage } from '#processors/venues/venue-a/normalise/stage';
import { anInstrument, applyRecord } from '#query-api/testing/records.fixture';
import type { TestApp } from '#query-api/testing/test-app.fixture';
import { VIEWS } from '#query-api/views/views';
import { type Instrument, instrumentTopics, type Trade, tradeTopics } from '#schemas/topics/normalised';
import { feedTopics, rawTopic } from '#schemas/topics/raw';
import { startThreeNodes, type ThreeNodes } from './three-nodes.fixture.ts';

const NOW = Date.UTC(2026, 0, 15, 12);
const USERS = [`0x${'a'.repeat(40)}`, `0x${'b'.repeat(40)}`];
const wire = (tid: number, time: number) => {
  return { coin: 'BTC', side: 'B', px: `70${tid}.50`, sz: '0.10', time, hash: `0x${tid}`, tid, users: USERS };
};
/** The venue lists the newest trade first. */
const RECENT = [wire(103, NOW + 2), wire(102, NOW), wire(101, NOW)];

const stage = driveStage(createVenueAStage({ outcomeTakerFeeRate: '0' }));
let three: ThreeNodes;

beforeAll(async () => {
  three = await startThreeNodes(() => JSON.stringify(RECENT), NOW);
  for (const node of three.nodes)
    node.setQuery(() =>
      stage
        .emittedTo(tradeTopics.venue_a)
        .toReversed()
        .map((trade) => ({ ...trade, reached: 1 })),
    );
});
afterAll(() => three.close());

/** What ingest leaves out from a time on, as the normaliser passes it on to all nodes. */
function leaveOut(coins: readonly string[], receivedAt: number): void {
  const change = { provider: 'venue_a', feed: 'venue_a.ws', kind: 'trades_left_out', reason: null, coins } as const;
  stage.feed(feedTopics.venue_a, { ...change, receivedAt });
  const newest = (stage.emittedTo(instrumentTopics.venue_a) as Instrument[]).at(-1)!;
  for (const { views } of three.nodes) applyRecord(VIEWS.coins, views.coins, instrumentTopics.venue_a, 'BTC', newest);
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
    requestedAt: null,
    payload: Buffer.from(JSON.stringify(meta)),
  });
  leaveOut(['BTC'], NOW + 5);

  const { nodes, venue, published } = three;
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
      requestedAt: null,
      payload: Buffer.from(payload),
    });
  const frame = { channel: 'trades', data: [wire(103, NOW + 2), wire(104, NOW + 3)] };
  stage.feed(rawTopic('venue_a', 'ws'), {
    ...{ ...envelope, receivedAt: NOW + 7, stream: 'ws', key: 'venue_a.ws.0' },
    requestedAt: null,
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
