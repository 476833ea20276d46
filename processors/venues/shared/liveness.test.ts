import { deserialize, serialize } from 'node:v8';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Emit } from '#infra/stages/stage';
import { type MarketStatus, statusTopics } from '#schemas/topics/normalised';
import type { FeedEvent } from '#schemas/topics/raw';
import { createLiveness, createLivenessState, type LivenessState, STALE_AFTER_MS } from './liveness.ts';

const liveness = createLiveness(statusTopics.venue_a);
const START = 1_800_000_000_000;
let state: LivenessState;
let emitted: (MarketStatus | string)[];
const emit: Emit = Object.assign((_: unknown, __: string, value: unknown) => void emitted.push(value as MarketStatus), {
  remove: (_: unknown, key: string) => void emitted.push(`removed ${key}`),
  deadLetter: () => {},
});
beforeEach(() => {
  state = createLivenessState();
  emitted = [];
});

const book = (instrument: string, at: number, feed = 'one') =>
  liveness.bookReceived(state, { provider: 'venue_a_perp', instrument, marketId: instrument, feed }, START + at, emit);
const frame = (at: number, feed = 'one') => liveness.frameReceived(state, feed, START + at, emit);
const tick = (at: number) => liveness.tick(state, START + at, emit);
const event = (kind: FeedEvent['kind'], at: number, feed = 'one') =>
  liveness.feedChanged(
    state,
    { provider: 'venue_a', feed, kind, reason: null, coins: [], receivedAt: START + at },
    emit,
  );
/** Returns the statuses emitted since the last call, as `instrument state`. */
const newStatuses = () =>
  emitted.splice(0).map((status) => (typeof status === 'string' ? status : `${status.instrument} ${status.state}`));

describe('a market', () => {
  it('is live from its first book on, which is emitted once', () => {
    book('BTC', 0);
    expect(emitted).toEqual([
      {
        provider: 'venue_a_perp',
        instrument: 'BTC',
        marketId: 'BTC',
        feed: 'one',
        state: 'live',
        receivedAt: START,
        since: START,
      },
    ]);
    book('BTC', 500);
    frame(600);
    tick(5_000);
    expect(emitted).toHaveLength(1);
  });

  it('is emitted again with the same `since` when its market id becomes known', () => {
    const source = { provider: 'venue_b', instrument: '77', feed: 'one' };
    liveness.bookReceived(state, { ...source, marketId: null }, START, emit);
    liveness.bookReceived(state, { ...source, marketId: '0xab' }, START + 9, emit);
    expect(emitted[1]).toMatchObject({ marketId: '0xab', state: 'live', since: START, receivedAt: START + 9 });
  });

  it('is not emitted after it was removed', () => {
    book('BTC', 0);
    liveness.forget(state, 'BTC', emit);
    liveness.forget(state, 'BTC', emit);
    event('disconnected', 5);
    expect(newStatuses()).toEqual(['BTC live', 'removed BTC']);
  });
});

describe('a connection without frames', () => {
  it(`is stale after ${STALE_AFTER_MS} ms and not earlier`, () => {
    book('BTC', 0);
    book('ETH', 0, 'two');
    frame(1, 'two');
    newStatuses();
    tick(STALE_AFTER_MS - 1);
    expect(newStatuses()).toEqual([]);
    tick(STALE_AFTER_MS);
    expect(newStatuses()).toEqual(['BTC stale']);
    tick(STALE_AFTER_MS + 1);
    expect(newStatuses()).toEqual(['ETH stale']);
    tick(STALE_AFTER_MS + 5_000);
    expect(newStatuses()).toEqual([]);
  });

  it('is live again after any frame, since the same socket loses nothing', () => {
    book('BTC', 0);
    tick(40_000);
    newStatuses();
    frame(41_000);
    expect(newStatuses()).toEqual(['BTC live']);
  });

  it('is stale at once when ingest reports it as silent', () => {
    book('BTC', 0);
    event('silent', 12_000);
    expect(newStatuses()).toEqual(['BTC live', 'BTC stale']);
  });
});

describe('a connection that was lost', () => {
  it('leaves each of its markets recovering until it has a new book', () => {
    book('BTC', 0);
    book('ETH', 0);
    book('SOL', 0, 'two');
    newStatuses();
    event('disconnected', 10);
    expect(newStatuses()).toEqual(['BTC recovering', 'ETH recovering']);
    event('connected', 900);
    frame(950);
    expect(newStatuses()).toEqual([]);
    book('ETH', 1_000);
    expect(newStatuses()).toEqual(['ETH live']);
    book('BTC', 1_200);
    expect(newStatuses()).toEqual(['BTC live']);
  });

  it('does not become live by a book from before the loss that is processed after it', () => {
    book('BTC', 0);
    event('disconnected', 10);
    book('BTC', 10);
    event('connected', 20);
    expect(newStatuses()).toEqual(['BTC live', 'BTC recovering']);
  });

  it('leaves its markets recovering when only the new connection was reported', () => {
    book('BTC', 0);
    event('connected', 10);
    expect(newStatuses()).toEqual(['BTC live', 'BTC recovering']);
  });

  it('is stale while it is disconnected, and the venue is down when reconnecting fails', () => {
    book('BTC', 0);
    event('disconnected', 10);
    tick(30_000);
    event('unreachable', 31_000);
    event('disconnected', 32_000);
    tick(90_000);
    event('connected', 95_000);
    book('BTC', 95_500);
    expect(newStatuses()).toEqual([
      'BTC live',
      'BTC recovering',
      'BTC stale',
      'BTC venue_down',
      'BTC recovering',
      'BTC live',
    ]);
  });

  it('does not affect markets whose book moved to another connection', () => {
    book('BTC', 0);
    book('BTC', 5, 'two');
    newStatuses();
    event('disconnected', 10);
    expect(newStatuses()).toEqual([]);
    event('disconnected', 20, 'two');
    expect(newStatuses()).toEqual(['BTC recovering']);
  });
});

describe('changes without a complete book', () => {
  const missed = (at: number) => {
    const source = { provider: 'venue_b', instrument: '77', marketId: null, feed: 'one' };
    liveness.bookMissed(state, source, START + at, emit);
  };

  it('leave a market recovering until a book comes', () => {
    missed(0);
    missed(1);
    book('77', 2);
    missed(3);
    expect(newStatuses()).toEqual(['77 recovering', '77 live', '77 recovering']);
  });
});

describe('a recording', () => {
  it.each(['recorded', 'ended'] as const)('is never stale once %s', (kind) => {
    book('BTC', 0);
    event(kind, 1);
    tick(3_600_000);
    event('silent', 3_600_001);
    expect(newStatuses()).toEqual(['BTC live']);
  });

  it('has stale markets while a recorded connection is lost, and live ones once it sends again', () => {
    event('recorded', 0);
    book('BTC', 1);
    event('disconnected', 10);
    tick(1 + STALE_AFTER_MS);
    expect(newStatuses()).toEqual(['BTC live', 'BTC recovering', 'BTC stale']);
    event('connected', 600_000);
    event('recorded', 600_000);
    book('BTC', 600_001);
    tick(3_600_000);
    expect(newStatuses()).toEqual(['BTC recovering', 'BTC live']);
  });

  it('ends when a live connection uses the same name', () => {
    event('recorded', 0);
    book('BTC', 1);
    event('connected', 10);
    book('BTC', 20);
    frame(20);
    tick(20 + STALE_AFTER_MS);
    expect(newStatuses()).toEqual(['BTC live', 'BTC recovering', 'BTC live', 'BTC stale']);
  });
});

it('the liveness continues from a snapshot', () => {
  book('BTC', 0);
  event('disconnected', 1);
  state = deserialize(serialize(state)) as LivenessState;
  event('connected', 2);
  book('BTC', 3);
  expect(newStatuses()).toEqual(['BTC live', 'BTC recovering', 'BTC live']);
});
