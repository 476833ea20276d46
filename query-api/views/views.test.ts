import { describe, expect, it } from 'vitest';
import { bestAsk, bestBid } from '#schemas/domain/book';
import { toNumber } from '#schemas/domain/decimal';
import { arbitrageHeadTopic, eventTopic, reconcileTopic, spreadHeadTopic } from '#schemas/topics/derived';
import { bookTopics, contextTopics, instrumentTopics } from '#schemas/topics/normalised';
import {
  aBookUpdate,
  aContext,
  anArbitrage,
  anEvent,
  anInstrument,
  aSpread,
  createViews,
  feed,
} from '../testing/records.fixture.ts';
import { VIEWS, type Views } from './views.ts';

describe('the views', () => {
  it('write nothing and have names of their own', () => {
    const stages = Object.values(VIEWS);
    expect(stages.flatMap((stage) => stage.outputs)).toEqual([]);
    expect(new Set(stages.map((stage) => stage.name)).size).toBe(stages.length);
  });

  it('end as they were when they are told all of it again', () => {
    const change = (price: string, size: string) => aBookUpdate(0, { snapshot: false, asks: [{ price, size }] });
    const tellAll = ({ events, coins, books }: Views) => {
      for (const status of ['open', 'closed'] as const)
        feed(VIEWS.events, events, eventTopic, 'evt_1', anEvent({ status }));
      feed(VIEWS.events, events, spreadHeadTopic, 'evt_1', aSpread());
      feed(VIEWS.events, events, spreadHeadTopic, 'evt_1', null);
      feed(VIEWS.events, events, arbitrageHeadTopic, 'evt_1:cross_provider', anArbitrage());
      feed(VIEWS.events, events, reconcileTopic, 'latest', { receivedAt: 1, ingested: 1 });
      feed(VIEWS.coins, coins, instrumentTopics.venue_a, 'BTC', anInstrument({ maxLeverage: 50 }));
      feed(VIEWS.coins, coins, contextTopics.venue_a, 'BTC', aContext());
      const updates = [aBookUpdate(2), change('100.25', '1'), change('100.25', '0'), change('100.3', '4')];
      for (const update of updates) feed(VIEWS.books, books, bookTopics.venue_a, 'BTC', update);
      // A repeat can begin behind the whole book.
      for (const update of updates.slice(1)) feed(VIEWS.books, books, bookTopics.venue_a, 'BTC', update);
    };
    const [once, twice] = [createViews(), createViews()];
    tellAll(once);
    tellAll(twice);
    tellAll(twice);
    const held = ({ events, coins, books }: Views) => ({ events, coins, books });
    expect(held(twice)).toEqual(held(once));
    expect(toNumber(bestAsk(once.books.get('BTC')!.book)!.price)).toBe(100.3);
  });
});

describe('the view of events', () => {
  it('forgets what is removed', () => {
    const { events } = createViews();
    feed(VIEWS.events, events, eventTopic, 'evt_1', anEvent());
    feed(VIEWS.events, events, spreadHeadTopic, 'evt_1', aSpread());
    feed(VIEWS.events, events, arbitrageHeadTopic, 'evt_1:cross_provider', anArbitrage());
    feed(VIEWS.events, events, reconcileTopic, 'latest', { receivedAt: 1, ingested: 1 });
    for (const [topic, key] of [
      [eventTopic, 'evt_1'],
      [spreadHeadTopic, 'evt_1'],
      [arbitrageHeadTopic, 'evt_1:cross_provider'],
      [arbitrageHeadTopic, 'evt_unknown:negation_pair'],
      [reconcileTopic, 'latest'],
    ] as const)
      feed<typeof events, unknown>(VIEWS.events, events, topic as never, key, null);
    expect(events).toEqual(VIEWS.events.initialState());
  });
});

describe('the view of coins', () => {
  it('holds the newest of each and forgets what is removed', () => {
    const { coins } = createViews();
    feed(VIEWS.coins, coins, instrumentTopics.venue_a, 'BTC', anInstrument());
    feed(VIEWS.coins, coins, instrumentTopics.venue_a, 'BTC', anInstrument({ maxLeverage: 50 }));
    feed(VIEWS.coins, coins, contextTopics.venue_a, 'BTC', aContext());
    expect(coins.instruments.get('BTC')!.maxLeverage).toBe(50);
    feed(VIEWS.coins, coins, instrumentTopics.venue_a, 'BTC', null);
    feed(VIEWS.coins, coins, contextTopics.venue_a, 'BTC', null);
    expect(coins).toEqual(VIEWS.coins.initialState());
  });
});

describe('the view of books', () => {
  it('keeps a book as it was where a change of it cannot be read', () => {
    const { books } = createViews();
    feed(VIEWS.books, books, bookTopics.venue_a, 'BTC', aBookUpdate(1));
    const bad = aBookUpdate(0, { snapshot: false, ts: 9, bids: [{ price: 'x', size: '1' }] });
    expect(() => feed(VIEWS.books, books, bookTopics.venue_a, 'BTC', bad)).toThrow();
    expect(toNumber(bestBid(books.get('BTC')!.book)!.price)).toBe(99.5);
    expect(books.get('BTC')!.ts).not.toBe(9);
    expect(() =>
      feed(VIEWS.books, books, bookTopics.venue_a, 'ETH', { ...bad, instrument: 'ETH', snapshot: true }),
    ).toThrow();
    expect(books.has('ETH')).toBe(false);
  });
});
