import { describe, expect, it } from 'vitest';
import { bestAsk } from '#schemas/domain/book';
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
import { bookOf } from './books.ts';
import { VIEWS, type Views } from './views.ts';

describe('the views', () => {
  it('write nothing and have names of their own', () => {
    const stages = Object.values(VIEWS);
    expect(stages.flatMap((stage) => stage.outputs)).toEqual([]);
    expect(new Set(stages.map((stage) => stage.name)).size).toBe(stages.length);
  });

  it('end as they were when they are told all of it again', () => {
    const tellAll = ({ events, coins, books }: Views) => {
      for (const status of ['open', 'closed'] as const)
        feed(VIEWS.events, events, eventTopic, 'evt_1', anEvent({ status }));
      feed(VIEWS.events, events, spreadHeadTopic, 'evt_1', aSpread());
      feed(VIEWS.events, events, spreadHeadTopic, 'evt_1', null);
      feed(VIEWS.events, events, arbitrageHeadTopic, 'evt_1:cross_provider', anArbitrage());
      feed(VIEWS.events, events, reconcileTopic, 'latest', { receivedAt: 1, ingested: 1 });
      feed(VIEWS.coins, coins, instrumentTopics.venue_a, 'BTC', anInstrument({ maxLeverage: 50 }));
      feed(VIEWS.coins, coins, contextTopics.venue_a, 'BTC', aContext());
      for (const update of [aBookUpdate(2), aBookUpdate(1, { asks: [{ price: '100.3', size: '4' }] })])
        feed(VIEWS.books, books, bookTopics.venue_a, 'BTC', update);
    };
    const [once, twice] = [createViews(), createViews()];
    tellAll(once);
    tellAll(twice);
    tellAll(twice);
    const held = ({ events, coins, books }: Views) => ({ events, coins, books });
    expect(held(twice)).toEqual(held(once));
    expect(toNumber(bestAsk(bookOf(once.books, 'BTC')!.book)!.price)).toBe(100.3);
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
  it('gives the newest whole book, best first, whatever the order of its levels', () => {
    const { books } = createViews();
    feed(VIEWS.books, books, bookTopics.venue_a, 'BTC', aBookUpdate(3));
    const bids = ['99', '99.75', '98'].map((price) => ({ price, size: '1' }));
    feed(VIEWS.books, books, bookTopics.venue_a, 'BTC', aBookUpdate(0, { ts: 9, bids }));
    const { book, ts } = bookOf(books, 'BTC')!;
    expect(book.bids.map(({ price }) => toNumber(price))).toEqual([99.75, 99, 98]);
    expect([book.asks, ts]).toEqual([[], 9]);
  });

  it('has no book where nothing, or only a change, was received', () => {
    const { books } = createViews();
    feed(VIEWS.books, books, bookTopics.venue_a, 'BTC', aBookUpdate(1, { snapshot: false }));
    expect([bookOf(books, 'BTC'), bookOf(books, 'ETH')]).toEqual([null, null]);
  });
});
