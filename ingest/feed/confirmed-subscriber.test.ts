import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { until } from '../testing/open-publisher.fixture.ts';
import { Budget } from './budget.ts';
import type { SpendingGrants } from './budget-options.ts';
import { ConfirmedSubscriber, type Ranked, type SubscriptionReply, type UnnamedError } from './confirmed-subscriber.ts';
import type { SocketLink } from './socket-feed.ts';

interface Named extends Ranked {
  readonly name: string;
}
const namesOf = (...names: string[]) => new Map(names.map((name, rank) => [name, { name, rank }]));

/** The subscriptions that known errors without a name are about. */
const REFUSED: Readonly<Record<string, UnnamedError<Named>['refuses']>> = {
  'too many users': ({ name }) => name.startsWith('user'),
};

/** A subscriber with a limit of `max`, and connections that record what is sent. */
function setUp(max = 10, grants?: SpendingGrants) {
  const budget = new Budget({ max, windowMs: 60_000, ...(grants ? { grants } : {}) });
  const errors: object[] = [];
  const warnings: object[] = [];
  const subscriber = new ConfirmedSubscriber<Named>(
    {
      subscribeFrame: ({ name }) => `+${name}`,
      unsubscribeFrame: ({ name }) => `-${name}`,
      readReply: (frame) => {
        const reply = JSON.parse(frame.toString()) as SubscriptionReply | UnnamedError<Named> | null;
        return reply && 'text' in reply ? { text: reply.text, refuses: REFUSED[reply.text] ?? null } : reply;
      },
    },
    budget,
    {
      error: (fields: object) => void errors.push(fields),
      warn: (fields: object) => void warnings.push(fields),
    },
  );
  const reply = (name: string, state: SubscriptionReply['state']) =>
    subscriber.handleFrame(Buffer.from(JSON.stringify({ name, state })));
  const fail = (text: string) => subscriber.handleFrame(Buffer.from(JSON.stringify({ text })));
  /** A frame that is about no subscription. */
  const receive = () => subscriber.handleFrame(Buffer.from('null'));
  /** @param allow resolves when a frame may be sent. */
  const connectWith = (allow: (priority: number, signal?: AbortSignal) => Promise<void>, ...names: string[]) => {
    const sent: string[] = [];
    const closed: string[] = [];
    const ending = new AbortController();
    const releasing = new AbortController();
    const release = () => releasing.abort();
    const end = (byVenue: boolean) => {
      ending.abort();
      if (byVenue) release();
    };
    const link = {
      ended: ending.signal,
      released: releasing.signal,
      send: async (frame: string, priority: number, signal?: AbortSignal) => {
        await allow(priority, signal);
        sent.push(frame);
      },
      close: (reason: string) => {
        closed.push(reason);
        end(true);
      },
    };
    subscriber.connected(link as SocketLink, namesOf(...names));
    return { sent, closed, end, release };
  };
  const connect = (...names: string[]) => connectWith(async () => {}, ...names);
  return { budget, errors, warnings, subscriber, reply, fail, receive, connect, connectWith };
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
    const { subscriber, connect, errors } = setUp(10, {
      ...{ earlier: [], chunk: 1, blockedUntil: null },
      store: () => Promise.reject(fault),
    });
    const { sent, end } = connect('a');
    await until(() => errors.length > 0);
    subscriber.changed(namesOf('b'));
    await settled();
    expect([errors, sent]).toEqual([[{ error: fault }], []]);
    end(true);
  });

  it('frees everything when the venue ended the connection, and only when it is released if the venue may not know', async () => {
    const { connect, budget } = setUp(2);
    const first = connect('a', 'b');
    await until(() => first.sent.length === 2);
    first.end(true);
    await settled();
    expect(budget.used).toBe(0);
    const second = connect('a', 'b');
    await until(() => second.sent.length === 2);
    second.end(false);
    const third = connect('a', 'b');
    await settled();
    expect([budget.used, third.sent]).toEqual([2, []]);
    second.release();
    await until(() => third.sent.length === 2);
    expect(budget.used).toBe(2);
    third.end(true);
  });
});

describe('a venue that does not reply to a frame', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
  afterEach(() => void vi.useRealTimers());

  /** Lets time pass while the venue sends other frames each second. */
  async function pass(seconds: number, receive: () => void): Promise<void> {
    for (let second = 0; second < seconds; second += 1) {
      await vi.advanceTimersByTimeAsync(1_000);
      receive();
    }
    await vi.advanceTimersByTimeAsync(0);
  }

  it('gets it once more after 30 s, and keeps the connection when it replies to that', async () => {
    const { connect, reply, receive } = setUp();
    const { sent, closed } = connect('a', 'b');
    await pass(1, receive);
    reply('a', 'subscribed');
    await pass(28, receive);
    expect(sent).toEqual(['+a', '+b']);
    await pass(2, receive);
    expect(sent).toEqual(['+a', '+b', '+b']);
    reply('b', 'subscribed');
    await pass(120, receive);
    expect([sent, closed]).toEqual([['+a', '+b', '+b'], []]);
  });

  it('is treated alike when it is about the end of a subscription, whose room stays taken until then', async () => {
    const { subscriber, connect, reply, receive, budget } = setUp();
    const { sent } = connect('a');
    await pass(1, receive);
    reply('a', 'subscribed');
    subscriber.changed(namesOf());
    await pass(1, receive);
    // A late reply to the first frame confirms no end.
    reply('a', 'subscribed');
    await pass(32, receive);
    expect([sent, budget.used]).toEqual([['+a', '-a', '-a'], 1]);
    reply('a', 'ended');
    expect(budget.used).toBe(0);
  });

  it('loses the connection when it does not reply to the second one either, each time later', async () => {
    const { connect, receive, warnings } = setUp();
    const waits: number[] = [];
    for (let nth = 0; nth < 9; nth += 1) {
      const { closed, sent } = connect('a');
      let seconds = 0;
      for (; closed.length === 0; seconds += 1) await pass(1, receive);
      expect([sent, closed]).toEqual([['+a', '+a'], ['subscriptions were not confirmed']]);
      waits.push(seconds - 30);
    }
    expect(waits[0]).toBeGreaterThanOrEqual(21);
    expect(waits[0]).toBeLessThanOrEqual(42);
    expect(waits[3]).toBeGreaterThanOrEqual(168);
    expect(waits[8]).toBeGreaterThanOrEqual(1_260);
    expect(waits[8]).toBeLessThanOrEqual(2_345);
    expect(warnings).toHaveLength(9);
  });

  it('loses a later connection as early as the first one if everything was confirmed in between', async () => {
    const { connect, reply, receive } = setUp();
    for (let nth = 0; nth < 3; nth += 1) {
      const { closed: earlier } = connect('a');
      while (earlier.length === 0) await pass(1, receive);
    }
    connect('a');
    await pass(1, receive);
    reply('a', 'subscribed');
    await pass(2, receive);
    const { closed } = connect('a');
    await pass(74, receive);
    expect(closed).toHaveLength(1);
  });

  it('gets it once more at once after an unknown error, which is reported once', async () => {
    const { connect, reply, fail, receive, warnings } = setUp();
    const { sent } = connect('a', 'b');
    await pass(1, receive);
    reply('a', 'subscribed');
    fail('something new');
    await pass(1, receive);
    expect(sent).toEqual(['+a', '+b', '+b']);
    fail('something new');
    await pass(5, receive);
    expect([sent, warnings]).toEqual([['+a', '+b', '+b'], [{ text: 'something new' }]]);
  });

  it('has refused the oldest of those that an error without a name is about', async () => {
    const { subscriber, connect, reply, fail, receive, budget } = setUp();
    const { sent } = connect('a', 'user 1', 'user 2', 'user 3');
    await pass(1, receive);
    reply('user 1', 'subscribed');
    fail('too many users');
    await pass(1, receive);
    expect([sent.length, budget.used]).toEqual([4, 3]);
    subscriber.changed(namesOf('a', 'user 1', 'user 2', 'user 3'));
    await pass(1, receive);
    expect(sent.slice(4)).toEqual(['+user 2']);
  });

  it('gets no frame again for a subscription that it refuses while the frame waits for room', async () => {
    const { connectWith, reply, receive, budget } = setUp();
    let isFull = false;
    const allow = async (_: number, signal?: AbortSignal) => {
      if (isFull)
        await new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    };
    const { sent } = connectWith(allow, 'a');
    await pass(1, receive);
    isFull = true;
    await pass(31, receive);
    reply('a', 'refused');
    isFull = false;
    await pass(5, receive);
    expect([sent, budget.used]).toEqual([['+a'], 0]);
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
