import { beforeEach, describe, expect, it } from 'vitest';
import { PING_EVERY_MS, PONG_EVERY_MS } from '../connection/limits.ts';
import { ANSWER_MAX_MS, CONNECT_MAX_MS, Connection, RETRY_FIRST_MS, RETRY_MAX_MS, SILENCE_MS } from './connection.ts';
import { createFakeClock, type FakeClock, FakeSocket } from './fakes.fixture.ts';

let clock: FakeClock;
let sockets: FakeSocket[];
let states: string[];
let frames: unknown[];
let connection: Connection;
beforeEach(() => {
  clock = createFakeClock();
  [sockets, states, frames] = [[], [], []];
  connection = new Connection({
    url: 'ws://test',
    clock,
    createSocket: (_url, protocols) => {
      sockets.push(new FakeSocket(protocols));
      return sockets.at(-1)!;
    },
    onState: ({ name, closeCode }) => void states.push(closeCode === null ? name : `${name} ${closeCode}`),
    onFrame: (frame) => void frames.push(frame),
  });
});
const socket = () => sockets.at(-1)!;
const connect = () => {
  connection.connect({ token: 'secret' });
  socket().open();
};

/** Waits for the next attempt and accepts it. */
const awaitAttempt = () => {
  const before = sockets.length;
  while (sockets.length === before) clock.advance(100);
  socket().open();
};

describe('a connection of the client', () => {
  it('is offline until it connects, then connecting, then live', () => {
    expect(connection.state).toEqual({ name: 'offline', since: clock.now(), closeCode: null });
    connection.connect({ token: 'secret' });
    clock.advance(5);
    socket().open();
    expect(states).toEqual(['connecting', 'live']);
    expect(connection.state.since).toBe(clock.now());
  });

  it('offers the token or the CSRF value as its subprotocol', () => {
    connection.connect({ token: 'secret' });
    connection.disconnect();
    connection.connect({ csrf: 'value' });
    expect(sockets.map(({ protocols }) => protocols)).toEqual([['bearer.secret'], ['csrf.value']]);
  });

  it('waits twice as long after each failure, up to the limit, with jitter', () => {
    connection.connect({ token: 'secret' });
    for (let failures = 0; failures < 12; failures += 1) {
      clock.chance = failures % 2;
      socket().end(1006);
      const longest = Math.min(RETRY_MAX_MS, RETRY_FIRST_MS * 2 ** failures);
      clock.advance(longest * (failures % 2 ? 1 : 0.5) - 1);
      expect(sockets.length).toBe(failures + 1);
      clock.advance(1);
      expect(sockets.length).toBe(failures + 2);
    }
  });

  it('begins with the shortest delay again only after a connection that lasted', () => {
    connect();
    for (let nth = 0; nth < 5; nth += 1) {
      socket().end(1006);
      awaitAttempt();
    }
    socket().end(1006);
    clock.advance(RETRY_FIRST_MS);
    expect(sockets.length).toBe(6);
    awaitAttempt();
    clock.advance(10_000);
    socket().end(1006);
    clock.advance(RETRY_FIRST_MS);
    expect(sockets.length).toBe(8);
  });

  it('spreads its next attempt over 10 s when the node stops', () => {
    connect();
    clock.chance = 0.9;
    socket().end(1012);
    expect(states.at(-1)).toBe('waiting 1012');
    clock.advance(8_999);
    expect(sockets.length).toBe(1);
    clock.advance(1);
    expect(sockets.length).toBe(2);
  });

  it('stays offline with a key or a session that is no longer valid, until it gets other credentials', () => {
    connect();
    socket().end(4001);
    expect(states.at(-1)).toBe('offline 4001');
    clock.advance(3_600_000);
    expect([sockets.length, clock.timers]).toEqual([1, 0]);
    connection.connect({ token: 'other' });
    expect(socket().protocols).toEqual(['bearer.other']);
  });

  it('gives up an attempt that takes too long', () => {
    connection.connect({ token: 'secret' });
    clock.advance(CONNECT_MAX_MS);
    expect([states.at(-1), sockets[0]!.isClosed]).toEqual(['waiting 1006', true]);
  });

  it('pings after silence, and counts as lost without an answer', () => {
    connect();
    clock.advance(SILENCE_MS - 1);
    expect(socket().sent).toEqual([]);
    clock.advance(1);
    expect(socket().sent).toEqual([{ type: 'ping' }]);
    clock.advance(ANSWER_MAX_MS - 1);
    expect(connection.state.name).toBe('live');
    clock.advance(1);
    expect([states.at(-1), socket().isClosed]).toEqual(['waiting 1006', true]);
  });

  it('stays live while frames arrive, and when a ping is answered', () => {
    connect();
    for (let nth = 0; nth < 20; nth += 1) {
      clock.advance(PONG_EVERY_MS);
      socket().receive({ type: 'pong' });
    }
    expect(socket().sent).toEqual([]);
    for (let nth = 0; nth < 5; nth += 1) {
      clock.advance(SILENCE_MS);
      socket().receive({ type: 'pong' });
    }
    expect(connection.state.name).toBe('live');
    expect(sockets.length).toBe(1);
  });

  it('waits longer for a frame than the server takes between two', () => {
    expect(SILENCE_MS).toBeGreaterThan(Math.max(PING_EVERY_MS, PONG_EVERY_MS));
  });

  it('ignores whatever a socket that was given up still reports', () => {
    connect();
    const [old] = sockets;
    connection.reconnect();
    awaitAttempt();
    old!.receive({ type: 'pong' });
    old!.end(4001);
    expect([frames, connection.state.name]).toEqual([[], 'live']);
  });

  it('counts as lost when the server sends text that is no JSON', () => {
    connect();
    socket().receive('nonsense');
    expect(states.at(-1)).toBe('waiting 1006');
  });

  it('connects at once when it is requested during a wait', () => {
    connect();
    socket().end(1006);
    connection.connect({ token: 'secret' });
    expect([sockets.length, states.at(-1)]).toEqual([2, 'connecting 1006']);
    expect(clock.timers).toBe(1);
  });

  it('leaves no timer behind when it is disconnected', () => {
    connect();
    connection.disconnect();
    expect([connection.state.name, socket().isClosed, clock.timers]).toEqual(['offline', true, 0]);
    connection.connect({ token: 'secret' });
    socket().end(1006);
    connection.disconnect();
    expect([connection.state.name, clock.timers]).toEqual(['offline', 0]);
  });
});
