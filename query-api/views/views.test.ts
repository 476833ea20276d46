import { describe, expect, it } from 'vitest';
import { bestAsk } from '#schemas/domain/book';
import { toNumber } from '#schemas/domain/decimal';
import { arbitrageHeadTopic, eventTopic, reconcileTopic, spreadHeadTopic } from '#schemas/topics/derived';
import { bookTopics, contextTopics, instrumentTopics, perpDexTopic } from '#schemas/topics/normalised';
import {
  aBookUpdate,
  aContext,
  anArbitrage,
  anEvent,
  anInstrument,
  aPerpDex,
  applyRecord,
  aSpread,
  createViews,
} from '../testing/records.fixture.ts';
import { bookOf } from './books.ts';
import { VIEWS, type Views } from './views.ts';

describe('the views', () => {
  it('have no outputs and distinct names', () => {
    const stages = Object.values(VIEWS);
    expect(stages.flatMap((stage) => stage.outputs)).toEqual([]);
    expect(new Set(stages.map((stage) => stage.name)).size).toBe(stages.length);
  });

  it('have the same state after processing all records a second time', () => {
    const processAll = ({ events, coins, books }: Views) => {
      for (const status of ['open', 'closed'] as const)
        applyRecord(VIEWS.events, events, eventTopic, 'evt_1', anEvent({ status }));
      applyRecord(VIEWS.events, events, spreadHeadTopic, 'evt_1', aSpread());
      applyRecord(VIEWS.events, events, spreadHeadTopic, 'evt_1', null);
      applyRecord(VIEWS.events, events, arbitrageHeadTopic, 'evt_1:cross_provider', anArbitrage());
      applyRecord(VIEWS.events, events, reconcileTopic, 'latest', { receivedAt: 1, ingested: 1 });
      applyRecord(VIEWS.coins, coins, instrumentTopics.venue_a, 'BTC', anInstrument({ maxLeverage: 50 }));
      applyRecord(VIEWS.coins, coins, contextTopics.venue_a, 'BTC', aContext());
      for (const update of [aBookUpdate(2), aBookUpdate(1, { asks: [{ price: '100.3', size: '4' }] })])
        applyRecord(VIEWS.books, books, bookTopics.venue_a, 'BTC', update);
    };
    const [once, twice] = [createViews(), createViews()];
    processAll(once);
    processAll(twice);
    processAll(twice);
    const stateOf = ({ events, coins, books }: Views) => ({ events, coins, books });
    expect(stateOf(twice)).toEqual(stateOf(once));
    expect(toNumber(bestAsk(bookOf(once.books.venue_a, 'BTC')!.book)!.price)).toBe(100.3);
  });
});

describe('the events view', () => {
  it('drops what a tombstone removes', () => {
    const { events } = createViews();
    applyRecord(VIEWS.events, events, eventTopic, 'evt_1', anEvent());
    applyRecord(VIEWS.events, events, spreadHeadTopic, 'evt_1', aSpread());
    applyRecord(VIEWS.events, events, arbitrageHeadTopic, 'evt_1:cross_provider', anArbitrage());
    applyRecord(VIEWS.events, events, reconcileTopic, 'latest', { receivedAt: 1, ingested: 1 });
    for (const [topic, key] of [
      [eventTopic, 'evt_1'],
      [spreadHeadTopic, 'evt_1'],
      [arbitrageHeadTopic, 'evt_1:cross_provider'],
      [arbitrageHeadTopic, 'evt_unknown:negation_pair'],
      [reconcileTopic, 'latest'],
    ] as const)
      applyRecord<typeof events, unknown>(VIEWS.events, events, topic as never, key, null);
    expect(events).toEqual(VIEWS.events.initialState());
  });
});

describe('the coins view', () => {
  it('holds the newest record of each key and drops what a tombstone removes', () => {
    const { coins } = createViews();
    applyRecord(VIEWS.coins, coins, instrumentTopics.venue_a, 'BTC', anInstrument());
    applyRecord(VIEWS.coins, coins, instrumentTopics.venue_a, 'BTC', anInstrument({ maxLeverage: 50 }));
    applyRecord(VIEWS.coins, coins, contextTopics.venue_a, 'BTC', aContext());
    applyRecord(VIEWS.coins, coins, perpDexTopic, 'orb', aPerpDex());
    expect(coins.venue_a.instruments.get('BTC')!.maxLeverage).toBe(50);
    expect(coins.venue_a.perpDexes.get('orb')).toEqual(aPerpDex());
    applyRecord(VIEWS.coins, coins, perpDexTopic, 'orb', null);
    applyRecord(VIEWS.coins, coins, instrumentTopics.venue_a, 'BTC', null);
    applyRecord(VIEWS.coins, coins, contextTopics.venue_a, 'BTC', null);
    expect(coins).toEqual(VIEWS.coins.initialState());
  });
});

describe('the books view', () => {
  it('returns the newest book, best levels first, whatever their order in the update', () => {
    const { books } = createViews();
    applyRecord(VIEWS.books, books, bookTopics.venue_a, 'BTC', aBookUpdate(3));
    const bids = ['99', '99.75', '98'].map((price) => ({ price, size: '1' }));
    applyRecord(VIEWS.books, books, bookTopics.venue_a, 'BTC', aBookUpdate(0, { ts: 9, bids }));
    const { book, ts } = bookOf(books.venue_a, 'BTC')!;
    expect(book.bids.map(({ price }) => toNumber(price))).toEqual([99.75, 99, 98]);
    expect([book.asks, ts]).toEqual([[], 9]);
  });

  it('returns null when nothing or only an incomplete update was received', () => {
    const { books } = createViews();
    applyRecord(VIEWS.books, books, bookTopics.venue_a, 'BTC', aBookUpdate(1, { snapshot: false }));
    expect([bookOf(books.venue_a, 'BTC'), bookOf(books.venue_a, 'ETH')]).toEqual([null, null]);
  });
});
