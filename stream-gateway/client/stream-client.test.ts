import { beforeEach, describe, expect, it } from 'vitest';
import { createFakeClock, type FakeClock, FakeSocket } from './fakes.fixture.ts';
import { channelName, StreamClient, type StreamMessage } from './stream-client.ts';

const CHANNEL = channelName('trade', 'venue_b');
let clock: FakeClock;
let socket: FakeSocket;
let errors: string[];
let client: StreamClient;
beforeEach(() => {
  clock = createFakeClock();
  errors = [];
  client = new StreamClient({
    url: 'ws://test/v1/stream',
    clock,
    createSocket: (_url, protocols) => {
      socket = new FakeSocket(protocols);
      return socket;
    },
    onError: (error) => void errors.push(error),
  });
});
const connect = () => {
  client.connect({ token: 'secret' });
  socket.open();
};
const subscribe = (since?: string) => {
  const messages: StreamMessage[] = [];
  const subscription = client.subscribe({ channel: CHANNEL, ...(since ? { since } : {}) }, (message) => {
    messages.push(message);
  });
  return { subscription, messages };
};
const accept = (id: string, cursor = 'e.0') =>
  socket.receive({ type: 'subscribed', subscription_id: id, channel: CHANNEL, cursor });
const event = (id: string, seq: number, epoch = 'e') => {
  const data = { type: 'trade.observed', provider: 'venue_b', marketId: null, payload: { seq }, receivedAt: 1 };
  socket.receive({ type: 'event', subscription_id: id, channel: CHANNEL, epoch, seq, cursor: `${epoch}.${seq}`, data });
};
const refuse = (error: string) => socket.receive({ type: 'error', error, channel: CHANNEL });
const requests = () => socket.sent.filter(({ type }) => type === 'subscribe');

describe('a subscription of the client', () => {
  it('is sent when there is a connection, with the position to continue from', () => {
    subscribe('earliest');
    connect();
    subscribe();
    expect(socket.sent).toEqual([{ type: 'subscribe', channel: CHANNEL, since: 'earliest' }]);
    accept('sub_1');
    expect(socket.sent.at(-1)).toEqual({ type: 'subscribe', channel: CHANNEL });
  });

  it('passes on what the server sends, without the id of the connection', () => {
    connect();
    const { messages } = subscribe();
    accept('sub_1');
    socket.receive({ type: 'status', subscription_id: 'sub_1', state: 'stale', since: 5 });
    event('sub_1', 1);
    socket.receive({ type: 'gap', subscription_id: 'sub_1', from: 'e.1', to: 'f.0', refill: '/v1/x' });
    expect(messages).toEqual([
      { type: 'subscribed', channel: CHANNEL, cursor: 'e.0' },
      { type: 'status', state: 'stale', since: 5 },
      expect.objectContaining({ type: 'event', seq: 1, cursor: 'e.1' }),
      { type: 'gap', from: 'e.1', to: 'f.0', refill: '/v1/x' },
    ]);
    expect(JSON.stringify(messages)).not.toContain('sub_1');
  });

  it('continues after its last event on a new connection, or where it began if there was none', () => {
    connect();
    const [one, other] = [subscribe(), subscribe()];
    accept('sub_1');
    accept('sub_2', 'e.7');
    event('sub_1', 3);
    expect([one.subscription.cursor, other.subscription.cursor]).toEqual(['e.3', 'e.7']);
    socket.end(1006);
    clock.advance(1_000);
    socket.open();
    accept('sub_3');
    expect(requests().map(({ since }) => since)).toEqual(['e.3', 'e.7']);
  });

  it('is matched with the answers of its channel, in order', () => {
    connect();
    const [first, second, third] = [subscribe('e.1'), subscribe('e.2'), subscribe('e.3')];
    expect(requests().length).toBe(1);
    accept('sub_1');
    refuse('subscription_limit');
    accept('sub_3');
    for (const id of ['sub_1', 'sub_3']) event(id, 4);
    expect([first, second, third].map(({ messages }) => messages.map(({ type }) => type))).toEqual([
      ['subscribed', 'event'],
      ['error'],
      ['subscribed', 'event'],
    ]);
  });

  it('reads again what the server dropped, and nothing of the earlier subscription', () => {
    connect();
    const { messages } = subscribe();
    accept('sub_1');
    event('sub_1', 1);
    socket.receive({ type: 'lagged', subscription_id: 'sub_1', fromSeq: 2, toSeq: 3, dropped: 2 });
    event('sub_1', 4);
    expect(socket.sent.slice(1)).toEqual([
      { type: 'unsubscribe', subscription_id: 'sub_1' },
      { type: 'subscribe', channel: CHANNEL, since: 'e.1' },
    ]);
    accept('sub_2', 'e.1');
    for (const seq of [2, 3, 4]) event('sub_2', seq);
    expect(messages.flatMap((message) => (message.type === 'event' ? [message.seq] : []))).toEqual([1, 2, 3, 4]);
    expect(messages).toContainEqual({ type: 'lagged', fromSeq: 2, toSeq: 3, dropped: 2 });
  });

  it('passes on no event twice, and reports numbers that the server left out as a gap', () => {
    connect();
    const { messages } = subscribe();
    accept('sub_1');
    for (const seq of [1, 2, 2, 1, 5]) event('sub_1', seq);
    event('sub_1', 1, 'f');
    expect(messages.slice(1).map((message) => (message.type === 'event' ? message.seq : message))).toEqual([
      1,
      2,
      { type: 'gap', from: 'e.2', to: 'e.5', refill: null },
      5,
      1,
    ]);
  });

  it.each(['unknown_channel', 'forbidden_scope', 'subscription_limit', 'bad_frame'])(
    'ends with the error %s',
    (error) => {
      connect();
      const { messages } = subscribe();
      refuse(error);
      expect(messages).toEqual([{ type: 'error', error, isFinal: true }]);
      socket.end(1006);
      clock.advance(1_000);
      socket.open();
      expect(requests()).toEqual([]);
    },
  );

  it('is requested again after some seconds while too many replays wait', () => {
    connect();
    const { messages } = subscribe('e.1');
    clock.chance = 0.5;
    refuse('quota_exceeded');
    expect(messages).toEqual([{ type: 'error', error: 'quota_exceeded', isFinal: false }]);
    clock.advance(5_499);
    expect(requests().length).toBe(1);
    clock.advance(1);
    expect(requests().length).toBe(2);
  });

  it('is no more passed on after it was closed, whether it was accepted or not', () => {
    connect();
    const [accepted, pending] = [subscribe(), subscribe()];
    accept('sub_1');
    accepted.subscription.close();
    pending.subscription.close();
    event('sub_1', 1);
    accept('sub_2');
    event('sub_2', 1);
    expect(accepted.messages.length + pending.messages.length).toBe(1);
    const ended = socket.sent.filter(({ type }) => type === 'unsubscribe');
    expect(ended.map((frame) => frame.subscription_id)).toEqual(['sub_1', 'sub_2']);
    socket.end(1006);
    clock.advance(1_000);
    socket.open();
    expect(socket.sent).toEqual([]);
  });

  it('stops at the bound of its queue, says so, and continues from there', async () => {
    connect();
    const seqs: (number | string)[] = [];
    let release = () => {};
    client.subscribe({ channel: CHANNEL, queueMax: 2 }, (message) => {
      seqs.push(message.type === 'event' ? message.seq : message.type);
      if (message.type !== 'event') return undefined;
      return new Promise<void>((resolve) => {
        release = resolve;
      });
    });
    accept('sub_1');
    for (const seq of [1, 2, 3, 4, 5]) event('sub_1', seq);
    expect(seqs).toEqual(['subscribed', 1]);
    expect(socket.sent.at(-1)).toEqual({ type: 'unsubscribe', subscription_id: 'sub_1' });
    for (let turn = 0; turn < 3; turn += 1) {
      release();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(seqs).toEqual(['subscribed', 1, 2, 3, 'slow']);
    expect(socket.sent.at(-1)).toEqual({ type: 'subscribe', channel: CHANNEL, since: 'e.3' });
  });
});

describe('the client', () => {
  it('reports errors of the whole connection, and requests everything again after a failure of the service', () => {
    connect();
    subscribe();
    accept('sub_1');
    socket.receive({ type: 'error', error: 'quota_exceeded' });
    expect([errors, client.state.name]).toEqual([['quota_exceeded'], 'live']);
    refuse('internal_error');
    expect([errors.at(-1), client.state.name]).toEqual(['internal_error', 'waiting']);
    clock.advance(1_000);
    socket.open();
    expect(requests()).toEqual([{ type: 'subscribe', channel: CHANNEL, since: 'e.0' }]);
  });

  it('continues its subscriptions after it was disconnected and connected again', () => {
    connect();
    subscribe();
    accept('sub_1');
    event('sub_1', 9);
    client.disconnect();
    connect();
    expect(requests().map(({ since }) => since)).toEqual(['e.9']);
  });
});
