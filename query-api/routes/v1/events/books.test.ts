import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bookHeadTopic } from '#schemas/topics/book-heads';
import { arbitrageHeadTopic, eventTopic, type UniversalEvent } from '#schemas/topics/derived';
import { type BookUpdate, bookTopics, type MarketStatus, statusTopics } from '#schemas/topics/normalised';
import type { Topic } from '#schemas/topics/topic';
import { aBookUpdate, aLink, anEvent, applyRecord, NOON_MS } from '../../../testing/records.fixture.ts';
import { createTestApp, type TestApp } from '../../../testing/test-app.fixture.ts';
import { VIEWS } from '../../../views/views.ts';
import { getEventBooks } from './get-books.ts';

const OUTCOME = aLink({
  provider: 'venue_a_outcome',
  providerMarketId: '#70',
  yesInstrument: '#70',
  noInstrument: '#71',
  polarity: 'inverse',
});
const TOKEN = aLink();
const PATH = '/v1/events/evt_1/books';

let test: TestApp;
beforeEach(async () => {
  test = await createTestApp();
});
afterEach(() => test.app.close());

type Side = readonly (readonly [price: string, size: string])[];
const venueOf = (instrument: string) => (instrument.startsWith('#') ? 'venue_a' : 'venue_b');
const add = {
  event(fields: Partial<UniversalEvent> = {}) {
    const event = anEvent({ links: [OUTCOME, TOKEN], ...fields });
    applyRecord(VIEWS.events, test.views.events, eventTopic, event.universalId, event);
  },
  book(instrument: string, bids: Side, asks: Side, fields: Partial<BookUpdate> = {}) {
    const [own, other] = [bids, asks].map((side) => side.map(([price, size]) => ({ price, size })));
    const update = aBookUpdate(0, { instrument, ts: NOON_MS - 40, bids: own!, asks: other!, ...fields });
    const topic = bookTopics[venueOf(instrument)];
    applyRecord(VIEWS.questionBooks, test.views.questionBooks, topic, instrument, update, update.receivedAt);
  },
  status(instrument: string, state: MarketStatus['state'] = 'live') {
    const at = { receivedAt: NOON_MS, since: NOON_MS };
    const status = { provider: 'venue_b', instrument, marketId: null, feed: 'f', state, ...at };
    applyRecord(VIEWS.events, test.views.events, statusTopics[venueOf(instrument)], instrument, status);
  },
};

async function read(query = '') {
  const response = await test.get(`${PATH}${query}`);
  expect(response.status, response.body).toBe(200);
  return getEventBooks.response.parse(response.json()) as {
    universalId: string;
    books: { marketId: string; state: string | null; ts: string | null; bids: object[]; asks: object[] }[];
    fetchedAt: string;
  };
}
const bookB = async () => (await read()).books.find(({ marketId }) => marketId === '0xmarket')!;

describe('GET /v1/events/{universalId}/books', () => {
  it('answers the newest YES book of every used leg, best first, an inverse one at 1 − p', async () => {
    add.event();
    add.book(
      '#70',
      [
        ['0.3', '5'],
        ['0.29', '7'],
      ],
      [['0.32', '11']],
    );
    add.status('#70');
    add.book(
      '111',
      [
        ['0.60', '1'],
        ['0.65', '2'],
      ],
      [['0.7', '3']],
    );
    add.book(
      '111',
      [['0.64', '9.5']],
      [
        ['0.7', '0'],
        ['0.71', '4'],
      ],
      { snapshot: false, receivedAt: NOON_MS + 5 },
    );
    add.status('111', 'stale');
    const ts = '2026-03-01T11:59:59.960Z';
    expect(await read()).toEqual({
      universalId: 'evt_1',
      books: [
        {
          provider: 'venue_a_outcome',
          marketId: '#70',
          state: 'live',
          ts,
          bids: [{ price: 0.68, size: 11 }],
          asks: [
            { price: 0.7, size: 5 },
            { price: 0.71, size: 7 },
          ],
        },
        {
          provider: 'venue_b',
          marketId: '0xmarket',
          state: 'stale',
          ts,
          bids: [
            { price: 0.65, size: 2 },
            { price: 0.64, size: 9.5 },
            { price: 0.6, size: 1 },
          ],
          asks: [{ price: 0.71, size: 4 }],
        },
      ],
      // A book that is newer says nothing about the other one.
      fetchedAt: '2026-03-01T12:00:00.000Z',
    });
  });

  it('leaves out links that are not used', async () => {
    add.event({ links: [{ ...OUTCOME, used: false }, TOKEN] });
    expect((await read()).books.map(({ marketId }) => marketId)).toEqual(['0xmarket']);
  });

  it('limits each side to the depth, 20 by default, clamped to 1 to 100', async () => {
    add.event();
    const side = Array.from({ length: 120 }, (_, at) => [`0.${String(500 - at)}`, '1'] as const);
    add.book('111', side, [['0.9', '1']]);
    add.status('111');
    const depths = async (query: string) => (await read(query)).books[1]!.bids.length;
    expect(await depths('')).toBe(20);
    expect(await depths('?depth=3')).toBe(3);
    expect(await depths('?depth=0')).toBe(1);
    expect(await depths('?depth=1000')).toBe(100);
    const refused = await test.get(`${PATH}?depth=x`);
    expect([refused.status, refused.body]).toEqual([400, expect.stringContaining('depth')]);
  });

  it('has empty sides and no time before the first book', async () => {
    add.event();
    add.status('111', 'recovering');
    expect(await bookB()).toMatchObject({ state: 'recovering', ts: null, bids: [], asks: [] });
  });

  it('has no levels while nothing is known about the connection, as a leg has no prices then', async () => {
    add.event();
    add.book('111', [['0.6', '1']], []);
    expect(await bookB()).toMatchObject({ state: null, ts: expect.any(String), bids: [], asks: [] });
  });

  it.each(['closed', 'resolved'] as const)(
    'has no levels for a %s market, but its state and time',
    async (marketState) => {
      add.event({ links: [OUTCOME, { ...TOKEN, marketState }] });
      add.book('111', [['0.6', '1']], []);
      add.status('111');
      expect(await bookB()).toMatchObject({ state: marketState, ts: expect.any(String), bids: [], asks: [] });
    },
  );

  it.each([arbitrageHeadTopic, bookHeadTopic])('states nothing better than stale while $name lags', async (lagging) => {
    add.event();
    add.book('111', [['0.6', '1']], []);
    add.status('111');
    const asOf = (topic: Topic) => NOON_MS - (topic.name === lagging.name ? 60_000 : 0);
    Object.assign(test.views, {
      freshness: { ...test.views.freshness, now: () => NOON_MS, isLive: () => true, asOf },
    });
    expect(await bookB()).toMatchObject({ state: 'stale', bids: [{ price: 0.6, size: 1 }] });
    expect((await read()).fetchedAt).toBe('2026-03-01T11:59:00.000Z');
  });

  it('continues from a head as after a start', async () => {
    add.event();
    const head = { instrument: '111', bookAt: NOON_MS, ts: NOON_MS, bids: [{ price: '0.6', size: '1' }], asks: [] };
    applyRecord(VIEWS.questionBooks, test.views.questionBooks, bookHeadTopic, '111', head, NOON_MS + 60_000);
    add.book('111', [['0.61', '2']], [], { snapshot: false, receivedAt: NOON_MS + 70_000 });
    add.status('111');
    expect((await bookB()).bids).toHaveLength(2);
  });

  it('answers 404 for an unknown event, and a merged id with its survivor', async () => {
    expect((await test.get(PATH)).status).toBe(404);
    add.event();
    add.event({ universalId: 'evt_old', mergedInto: 'evt_1' });
    expect((await test.get('/v1/events/evt_old/books')).json()).toMatchObject({ universalId: 'evt_1' });
  });
});
