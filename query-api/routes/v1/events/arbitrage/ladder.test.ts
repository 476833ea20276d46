import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Book, parseLevels } from '#schemas/domain/book';
import { bookHeadTopic } from '#schemas/topics/book-heads';
import { arbitrageHeadTopic, eventTopic } from '#schemas/topics/derived';
import { type MarketStatus, statusTopics } from '#schemas/topics/normalised';
import type { Topic } from '#schemas/topics/topic';
import { aLink, anArbitrage, anEvent, applyRecord, NOON_MS } from '../../../../testing/records.fixture.ts';
import { createTestApp, type TestApp } from '../../../../testing/test-app.fixture.ts';
import { VIEWS } from '../../../../views/views.ts';
import { getLadder } from './get-ladder.ts';

let test: TestApp;
beforeEach(async () => {
  test = await createTestApp();
});
afterEach(() => test.app.close());

type Side = readonly (readonly [price: string, size: string])[];
const bookOf = (bids: Side, asks: Side): Book => {
  const [own, other] = [bids, asks].map((side) => parseLevels(side.map(([price, size]) => ({ price, size }))));
  return { bids: own!, asks: other! };
};

const LINKS = [
  aLink({
    provider: 'venue_a_outcome',
    providerMarketId: '#10',
    yesInstrument: '#10',
    noInstrument: '#11',
    takerFeeRate: '0.0007',
  }),
  aLink({ takerFeeRate: '0.07' }),
];

function addEvent(links = LINKS) {
  for (const event of [anEvent({ links }), anEvent({ universalId: 'evt_old', mergedInto: 'evt_1' })])
    applyRecord(VIEWS.events, test.views.events, eventTopic, event.universalId, event);
}
function addBook(instrument: string, after: number, bids: Side, asks: Side, state: MarketStatus['state'] = 'live') {
  const bookAt = NOON_MS + after;
  test.views.questionBooks.books.set(instrument, {
    book: bookOf(bids, asks),
    ts: bookAt,
    bookAt,
    startedAt: bookAt,
    fromHead: false,
  });
  const isOfA = instrument.startsWith('#');
  const status = {
    provider: isOfA ? 'venue_a_outcome' : 'venue_b',
    instrument,
    marketId: null,
    feed: 'f',
    receivedAt: bookAt,
    state,
    since: bookAt,
  };
  applyRecord(VIEWS.events, test.views.events, statusTopics[isOfA ? 'venue_a' : 'venue_b'], instrument, status);
}
/** YES can be bought on venue_b at 0.50 and 0.52, and sold on venue_a at 0.56. */
function addBooks(state?: MarketStatus['state']) {
  addBook('#10', -3_000, [['0.56', '150']], [['0.58', '150']], state);
  const asks = [
    ['0.5', '100'],
    ['0.52', '100'],
  ] as const;
  addBook('111', -5_000, [['0.48', '100']], asks);
  test.views.events.now = NOON_MS;
}

async function read(query: string, status = 200, id = 'evt_1') {
  const response = await test.get(`/v1/events/${id}/arbitrage/ladder${query}`);
  expect(response.status, response.body).toBe(status);
  return response;
}
interface Ladder {
  readonly rows: readonly { readonly size: number; readonly buyPrice?: number }[];
  readonly breakEvenSize: number | null;
  readonly bestSize: number | null;
  readonly fetchedAt: string;
}
const ladder = async (query: string, id?: string) =>
  getLadder.response.parse((await read(query, 200, id)).json()) as Ladder;
const messageOf = async (query: string) =>
  ((await read(query, 400)).json() as { error: { code: string; message: string } }).error;

describe('GET /v1/events/{universalId}/arbitrage/ladder', () => {
  it('quotes each size by walking both books, and names the sizes that earn most and nothing', async () => {
    addEvent();
    addBooks();
    const answer = {
      universalId: 'evt_1',
      kind: 'cross_provider',
      rows: [
        {
          size: 100,
          grossEdge: 0.06,
          netEdge: 0.042108,
          buyPrice: 0.5,
          sellPrice: 0.56,
          buyFee: 0.0175,
          sellFee: 0.000392,
          profitUsd: 4.2108,
        },
        {
          size: 0.5,
          grossEdge: 0.06,
          netEdge: 0.042108,
          buyPrice: 0.5,
          sellPrice: 0.56,
          buyFee: 0.0175,
          sellFee: 0.000392,
          profitUsd: 0.021054,
        },
        { size: 151, reason: 'thin_book' },
      ],
      breakEvenSize: 150,
      bestSize: 150,
      quoteAgeMs: 5_000,
      fetchedAt: new Date(NOON_MS).toISOString(),
    };
    expect(await ladder('?kind=cross_provider&sizes=100,0.5,151')).toEqual(answer);
    expect(await ladder('?kind=cross_provider&sizes=100,0.5,151', 'evt_old')).toEqual(answer);
  });

  it('has six sizes by default', async () => {
    addEvent();
    addBooks();
    const { rows } = await ladder('?kind=cross_provider');
    expect(rows.map(({ size }) => size)).toEqual([10, 50, 100, 500, 1_000, 5_000]);
  });

  it('selects the direction of the record if no size is profitable', async () => {
    addEvent();
    // For 10 shares YES is better bought on venue_a, for 100 on venue_b.
    addBook(
      '#10',
      0,
      [['0.4', '200']],
      [
        ['0.42', '10'],
        ['0.9', '200'],
      ],
    );
    addBook('111', 0, [['0.4', '200']], [['0.43', '200']]);
    test.views.events.now = NOON_MS;
    const buyPrice = async () => {
      const { rows, bestSize, breakEvenSize } = await ladder('?kind=cross_provider&sizes=100,10');
      expect([bestSize, breakEvenSize]).toEqual([null, null]);
      return rows.map((row) => row.buyPrice);
    };
    expect(await buyPrice()).toEqual([0.852, 0.42]);
    const record = anArbitrage({ size: '100' });
    applyRecord(VIEWS.events, test.views.events, arbitrageHeadTopic, 'evt_1:cross_provider', record);
    expect(await buyPrice()).toEqual([0.43, 0.43]);
  });

  it('names in every row why no pair can be quoted', async () => {
    addEvent();
    addBooks('stale');
    expect(await ladder('?kind=cross_provider&sizes=1,2')).toMatchObject({
      rows: [
        { size: 1, reason: 'stale_leg' },
        { size: 2, reason: 'stale_leg' },
      ],
      breakEvenSize: null,
      bestSize: null,
      quoteAgeMs: null,
    });
    expect((await ladder('?kind=negation_pair&sizes=1')).rows).toEqual([{ size: 1, reason: 'no_book' }]);
    addEvent([LINKS[0]!]);
    expect((await ladder('?kind=cross_provider&sizes=1')).rows).toEqual([{ size: 1, reason: 'one_provider' }]);
  });

  it.each([arbitrageHeadTopic, bookHeadTopic])('is stale while $name lags behind', async (lagging) => {
    addEvent();
    addBooks();
    const asOf = (topic: Topic) => NOON_MS - (topic.name === lagging.name ? 60_000 : 0);
    const freshness = { ...test.views.freshness, now: () => NOON_MS, isLive: () => true, asOf };
    Object.assign(test.views, { freshness });
    const { rows, fetchedAt } = await ladder('?kind=cross_provider&sizes=1');
    expect(rows).toEqual([{ size: 1, reason: 'stale_leg' }]);
    expect(fetchedAt).toBe(new Date(NOON_MS - 60_000).toISOString());
  });

  it('refuses a missing or unknown kind and sizes that are none', async () => {
    addEvent();
    for (const query of ['', '?kind=both', '?kind='])
      expect(await messageOf(query)).toMatchObject({
        code: 'validation_failed',
        message: expect.stringMatching(/^kind: /),
      });
    const tooMany = Array.from({ length: 21 }, () => '1').join(',');
    for (const sizes of ['', '0', '-1', '1,', '1,,2', '1e3', 'ten', '0.0000000000000000001', '1, 2', tooMany])
      expect((await messageOf(`?kind=negation_pair&sizes=${sizes}`)).message, sizes).toMatch(/^sizes: /);
    const most = Array.from({ length: 20 }, (_, at) => `${at + 1}`).join(',');
    expect((await ladder(`?kind=negation_pair&sizes=${most}`)).rows).toHaveLength(20);
    expect((await ladder('?kind=negation_pair&sizes=99999999999999999999')).rows).toHaveLength(1);
  });

  it('is 404 for an unknown event', async () => {
    expect(((await read('?kind=cross_provider', 404, 'evt_none')).json() as { error: object }).error).toMatchObject({
      code: 'not_found',
    });
  });
});
