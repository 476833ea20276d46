import { describe, expect, it } from 'vitest';
import type { StageRecord } from '#infra/stages/stage';
import type { PriceState } from '#schemas/domain/price-state';
import { aLink, anEvent } from '#schemas/testing/records.fixture';
import { eventTopic } from '#schemas/topics/derived';
import { type MarketStatus, statusTopics } from '#schemas/topics/normalised';
import type { Topic } from '#schemas/topics/topic';
import {
  drainChanges,
  eventStatus,
  instrumentStatus,
  type MarketStatusState,
  marketStatusView,
} from './market-status.ts';

function feed<T>(state: MarketStatusState, topic: Topic<T>, key: string, value: T | null): void {
  const { handle } = marketStatusView.inputs.find((input) => input.topic.name === topic.name)!;
  const record = { topic: topic.name, partition: 0, offset: 0, key, receivedAt: 1, value };
  handle(state, record as StageRecord<never>, undefined as never);
}

function aStatus(instrument: string, state: PriceState, since: number): MarketStatus {
  return { provider: 'venue_b', instrument, marketId: null, feed: 'feed', state, receivedAt: since, since };
}

/** An event whose legs are these instruments. */
const eventOf = (...instruments: string[]) =>
  anEvent({ links: instruments.map((yesInstrument) => aLink({ providerMarketId: yesInstrument, yesInstrument })) });

describe('the view of the markets', () => {
  it('shows the worst status of the legs of an event', () => {
    const state = marketStatusView.initialState();
    feed(state, eventTopic, 'evt_one', eventOf('1', '2'));
    feed(state, statusTopics.venue_a, '1', aStatus('1', 'live', 10));
    feed(state, statusTopics.venue_b, '2', aStatus('2', 'stale', 20));
    expect(eventStatus(state, 'evt_one')).toEqual({ state: 'stale', since: 20 });
  });

  it('ignores legs whose markets are closed', () => {
    const state = marketStatusView.initialState();
    const ended = aLink({ providerMarketId: '2', yesInstrument: '2', marketState: 'resolved' });
    feed(state, eventTopic, 'evt_one', anEvent({ links: [...eventOf('1').links, ended] }));
    feed(state, statusTopics.venue_b, '1', aStatus('1', 'live', 10));
    feed(state, statusTopics.venue_b, '2', aStatus('2', 'stale', 20));
    expect(eventStatus(state, 'evt_one')).toEqual({ state: 'live', since: 10 });
  });

  it('removes an ended instrument from itself and from its events', () => {
    const state = marketStatusView.initialState();
    feed(state, eventTopic, 'evt_one', eventOf('1', '2'));
    feed(state, statusTopics.venue_b, '1', aStatus('1', 'live', 10));
    feed(state, statusTopics.venue_b, '2', aStatus('2', 'venue_down', 20));
    drainChanges(state);
    feed(state, statusTopics.venue_b, '2', null);
    expect(instrumentStatus(state, '2')).toBeNull();
    expect(eventStatus(state, 'evt_one')).toEqual({ state: 'live', since: 10 });
    expect(drainChanges(state)).toEqual(['2']);
    feed(state, statusTopics.venue_b, '1', null);
    expect(eventStatus(state, 'evt_one')).toBeNull();
  });

  it('removes the legs of a removed event', () => {
    const state = marketStatusView.initialState();
    feed(state, eventTopic, 'evt_one', eventOf('1'));
    feed(state, eventTopic, 'evt_one', null);
    feed(state, statusTopics.venue_b, '1', aStatus('1', 'live', 10));
    feed(state, statusTopics.venue_b, '1', null);
    drainChanges(state);
    expect(state).toEqual(marketStatusView.initialState());
  });

  it('has the same state after reading all records twice', () => {
    const feedAll = (state: MarketStatusState) => {
      feed(state, eventTopic, 'evt_one', eventOf('1'));
      feed(state, statusTopics.venue_b, '1', aStatus('1', 'live', 10));
      feed(state, statusTopics.venue_b, '2', aStatus('2', 'live', 10));
      feed(state, eventTopic, 'evt_one', eventOf('1', '2'));
      feed(state, statusTopics.venue_b, '1', null);
      drainChanges(state);
    };
    const [once, twice] = [marketStatusView.initialState(), marketStatusView.initialState()];
    feedAll(once);
    feedAll(twice);
    feedAll(twice);
    expect(twice).toEqual(once);
  });
});
