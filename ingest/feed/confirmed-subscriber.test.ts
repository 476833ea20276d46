import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { until } from '../testing/open-publisher.fixture.ts';
import { Budget } from './budget.ts';
import type { SpendingGrants } from './budget-options.ts';
import { ConfirmedSubscriber, type Ranked, type SubscriptionReply } from './confirmed-subscriber.ts';
import type { SocketLink } from './socket-feed.ts';

interface Named extends Ranked {
  readonly name: string;
}
const namesOf = (...names: string[]) => new Map(names.map((name, rank) => [name, { name, rank }]));

/** A subscriber with a limit of `max`, and connections that record what is sent. */
function setUp(max = 10, grants?: SpendingGrants) {
  const budget = new Budget({ max, windowMs: 60_000, ...(grants ? { grants } : {}) });
  const errors: object[] = [];
  const subscriber = new ConfirmedSubscriber<Named>(
    {
      subscribeFrame: ({ name }) => `+${name}`,
      unsubscribeFrame: ({ name }) => `-${name}`,
      readReply: (frame) => JSON.parse(frame.toString()) as SubscriptionReply | null,
    },
    budget,
    { error: (fields: object) => void errors.push(fields) },
  );
  const reply = (name: string, state: SubscriptionReply['state']) =>
    subscriber.handleFrame(Buffer.from(JSON.stringify({ name, state })));
  /** @param allow resolves when a frame may be sent. */
  const connectWith = (allow: (priority: number, signal?: AbortSignal) => Promise<void>, ...names: string[]) => {
    const sent: string[] = [];
    const ending = new AbortController();
    const link = {
      ended: ending.signal,
      endedByVenue: false,
      send: async (frame: string, priority: number, signal?: AbortSignal) => {
        await allow(priority, signal);
        sent.push(frame);
      },
    };
    subscriber.connected(link as SocketLink, namesOf(...names));
    const end = (byVenue: boolean) => {
      link.endedByVenue = byVenue;
      ending.abort();
    };
    return { sent, end };
  };
  const connect = (...names: string[]) => connectWith(async () => {}, ...names);
  return { budget, errors, subscriber, reply, connect, connectWith };
}
/** Waits until nothing more is sent. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 20));

describe('a subscriber whose venue confirms', () => {
  it('subscribes to everything in order of importance, and sends changes only', async () => {
    const { subscriber, reply, connect } = setUp();
    const { sent } = connect('a', 'b', 'c');
    await until(() => sent.length === 3);
    for (const name of ['a', 'b', 'c']) reply(name, 'subscribed');
    subscriber.changed(namesOf('d', 'c', 'b'));
    await until(() => sent.length === 5);
    expect(sent).toEqual(['+a', '+b', '+c', '-a', '+d']);
  });

  it('reuses the room of a subscription only when the venue has confirmed that it ended', async () => {
    const { subscriber, reply, connect, budget } = setUp(2);
    const { sent } = connect('a', 'b');
    await until(() => sent.length === 2);
    subscriber.changed(namesOf('c', 'b'));
    await settled();
    expect([sent, budget.used]).toEqual([['+a', '+b', '-a'], 2]);
    reply('a', 'ended');
    await until(() => sent.length === 4);
    expect([sent.at(-1), budget.used]).toEqual(['+c', 2]);
  });

  it('subscribes again to what was wanted again before its end was confirmed', async () => {
    const { subscriber, reply, connect } = setUp();
    const { sent } = connect('a');
    await until(() => sent.length === 1);
    subscriber.changed(namesOf());
    await until(() => sent.length === 2);
    subscriber.changed(namesOf('a'));
    await settled();
    expect(sent).toEqual(['+a', '-a']);
    reply('a', 'ended');
    await until(() => sent.length === 3);
    expect(sent.at(-1)).toBe('+a');
  });

  it('sends what has become most important first, once there is room', async () => {
    const { subscriber, reply, connect } = setUp(1);
    const { sent } = connect('a', 'b');
    await until(() => sent.length === 1);
    subscriber.changed(namesOf('c', 'b'));
    await until(() => sent.includes('-a'));
    reply('a', 'ended');
    await until(() => sent.length === 3);
    expect(sent).toEqual(['+a', '-a', '+c']);
  });

  it('repeats a refused subscription only after a change', async () => {
    const { subscriber, reply, connect, budget } = setUp();
    const { sent } = connect('a', 'b');
    await until(() => sent.length === 2);
    reply('a', 'refused');
    await settled();
    expect([sent, budget.used]).toEqual([['+a', '+b'], 1]);
    subscriber.changed(namesOf('a', 'b'));
    await until(() => sent.length === 3);
    expect(sent.at(-1)).toBe('+a');
  });

  it('reports once that nothing may be spent any more', async () => {
    const fault = new Error('the lease was lost');
    const { subscriber, connect, errors } = setUp(10, { earlier: [], chunk: 1, store: () => Promise.reject(fault) });
    const { sent, end } = connect('a');
    await until(() => errors.length > 0);
    subscriber.changed(namesOf('b'));
    await settled();
    expect([errors, sent]).toEqual([[{ error: fault }], []]);
    end(true);
  });

  it('frees everything when the venue ended the connection, and later if the venue may not know', async () => {
    const { connect, budget } = setUp(2);
    const first = connect('a', 'b');
    await until(() => first.sent.length === 2);
    first.end(true);
    expect(budget.used).toBe(0);
    const second = connect('a', 'b');
    await until(() => second.sent.length === 2);
    second.end(false);
    const third = connect('a', 'b');
    await settled();
    expect([budget.used, third.sent]).toEqual([2, []]);
    third.end(true);
  });
});

describe('a subscription that is added while a venue limits frames', () => {
  const WINDOW_MS = 62_000;
  const mass = Array.from({ length: 90 }, (_, nth) => `trades ${nth}`);
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
  afterEach(() => void vi.useRealTimers());

  /** A subscriber of a venue that allows a hundred frames in a window. */
  function setUpFrames() {
    const frames = new Budget({ max: 100, windowMs: WINDOW_MS });
    const { subscriber, connectWith } = setUp(1_000);
    const connectLimited = () =>
      connectWith(async (priority, signal) => (await frames.reserve(1, { priority, signal })).settle(), ...mass);
    const requestBook = () => subscriber.changed(namesOf(...mass, 'book'));
    return { connectLimited, requestBook };
  }

  it('is sent at once, although all others were sent just before', async () => {
    const { connectLimited, requestBook } = setUpFrames();
    const { sent } = connectLimited();
    await vi.advanceTimersByTimeAsync(0);
    expect(sent).toHaveLength(mass.length);
    requestBook();
    await vi.advanceTimersByTimeAsync(0);
    expect(sent.at(-1)).toBe('+book');
  });

  it('follows the more important ones without room for frames, at the latest after the window of the limit', async () => {
    const { connectLimited, requestBook } = setUpFrames();
    const first = connectLimited();
    await vi.advanceTimersByTimeAsync(0);
    first.end(true);
    const { sent } = connectLimited();
    requestBook();
    await vi.advanceTimersByTimeAsync(WINDOW_MS - 1);
    expect(sent).toEqual(mass.slice(0, 10).map((name) => `+${name}`));
    await vi.advanceTimersByTimeAsync(1);
    expect(sent).toEqual([...mass, 'book'].map((name) => `+${name}`));
  });
});
