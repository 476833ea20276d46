import type { Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { WebSocket } from 'ws';
import { logFull } from '../testing/memory-log.fixture.ts';
import { openTestPublisher, silentLogger, until } from '../testing/open-publisher.fixture.ts';
import { socketPlanner } from '../testing/socket-planner.fixture.ts';
import { startSocketServer, type TestSocketServer } from '../testing/ws-server.fixture.ts';
import { Budget } from './budget.ts';
import { reconnectDelayMs } from './reconnect.ts';
import { SocketFeed, type SocketFeedOptions, type SocketLink } from './socket-feed.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** The stream below a socket of the server. */
const streamOf = (socket: WebSocket) => (socket as unknown as { readonly _socket: Socket })._socket;

/** Sends these frames over each connection. */
const sending = (frames: readonly string[]) => (link: SocketLink) => {
  for (const frame of frames) link.send(frame, 0).catch(() => {});
};

async function setUp(options: Partial<SocketFeedOptions> = {}, server?: TestSocketServer) {
  const venue = server ?? (await startSocketServer());
  if (!server) closing.push(() => venue.close());
  const test = await openTestPublisher();
  closing.push(() => test.publisher.close().catch(() => {}));
  const feed = new SocketFeed({
    venue: 'venue_a',
    source: 'venue_a.ws',
    feed: 'venue_a.ws.0',
    url: venue.url,
    publisher: test.publisher,
    logger: silentLogger,
    metrics: test.metrics,
    heartbeat: { frame: 'ping', intervalMs: 10_000, silenceMs: 20_000 },
    planner: socketPlanner(),
    onConnected: sending(['subscribe 1', 'subscribe 2']),
    ...options,
  });
  closing.push(() => feed.close());
  const kinds = () => test.feeds('venue_a').map((event) => event.kind);
  return { ...test, feed, venue, kinds };
}

describe('SocketFeed', () => {
  it('subscribes and publishes the exact bytes of every frame', async () => {
    const { venue, raw, kinds } = await setUp();
    await until(() => venue.received[0]?.length === 2);
    venue.sockets[0]?.send('{"a": 1.0}');
    venue.sockets[0]?.send(Buffer.from([0xff, 0x00, 0x7b]), { binary: false });
    await until(() => raw('venue_a', 'ws').length === 2);
    expect(venue.received[0]).toEqual(['subscribe 1', 'subscribe 2']);
    expect(raw('venue_a', 'ws').map(({ key, payload }) => [key, payload])).toEqual([
      ['venue_a.ws.0', Buffer.from('{"a": 1.0}')],
      ['venue_a.ws.0', Buffer.from([0xff, 0x00, 0x7b])],
    ]);
    expect(kinds()).toEqual(['connected']);
  });

  it('reconnects, subscribes to everything again, and records the gap with its reason', async () => {
    const subscriptions = ['one'];
    const { venue, feeds, kinds } = await setUp({ onConnected: (link) => sending(subscriptions)(link) });
    await until(() => venue.received[0]?.length === 1);
    subscriptions.push('two');
    venue.sockets[0]?.close(1012, 'restarting');
    await until(() => venue.received[1]?.length === 2);
    expect(venue.received[1]).toEqual(['one', 'two']);
    await until(() => kinds().length === 3);
    expect(feeds('venue_a').map(({ kind, reason }) => [kind, reason])).toEqual([
      ['connected', null],
      ['disconnected', 'closed by the venue: 1012 restarting'],
      ['connected', null],
    ]);
  });

  it('sends the most important frames first, and pings before all, when the limits leave little room', async () => {
    const messages = new Budget({ max: 1, windowMs: 20 });
    const { venue } = await setUp({
      planner: socketPlanner({ messages }),
      heartbeat: { frame: 'ping', intervalMs: 100, silenceMs: 20_000 },
      onConnected: (link) => {
        for (const priority of [0, 9, 8, 7, ...Array.from({ length: 20 }, () => 5)])
          link.send(`${priority}`, priority).catch(() => {});
      },
    });
    await until(() => venue.received[0]?.includes('9') ?? false);
    const sent = venue.received[0]!;
    const frames = sent.filter((frame) => frame !== 'ping');
    expect([...new Set(frames)]).toEqual(['0', '5', '7', '8', '9']);
    expect(sent.indexOf('ping')).toBeGreaterThan(0);
    expect(sent.indexOf('ping')).toBeLessThan(sent.indexOf('9'));
  });

  /** Opens no more than one connection at a time, and ends one on which nothing is received for 100 ms. */
  async function setUpSilent(idleLimitMs: number) {
    const events: string[] = [];
    const connections = new Budget({ max: 1, windowMs: 1 });
    const test = await setUp({
      planner: socketPlanner({ connections }),
      heartbeat: { frame: 'ping', intervalMs: 10_000, silenceMs: 100, idleLimitMs },
      onConnected: (link) => {
        events.push('connected');
        link.ended.addEventListener('abort', () => void events.push('ended'));
        link.released.addEventListener('abort', () => void events.push('released'));
      },
    });
    await until(() => test.venue.sockets.length === 1);
    return { ...test, events, socket: test.venue.sockets[0]! };
  }

  it('counts a silent connection until the venue, which counts it too, has confirmed its end', async () => {
    const { venue, events, socket, kinds } = await setUpSilent(60_000);
    // It reads nothing, so it does not notice the end.
    socket.pause();
    await until(() => events.includes('ended'));
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect([events, venue.sockets.length, kinds()]).toEqual([
      ['connected', 'ended'],
      1,
      ['connected', 'silent', 'disconnected'],
    ]);
    socket.resume();
    await until(() => venue.sockets.length === 2);
    expect(events.slice(0, 3)).toEqual(['connected', 'ended', 'released']);
  });

  it('counts a silent connection no longer than the venue keeps one to which it sends nothing', async () => {
    const { venue, events, socket } = await setUpSilent(1_000);
    socket.pause();
    await until(() => events.includes('released'));
    await until(() => venue.sockets.length === 2);
    expect(events.slice(0, 3)).toEqual(['connected', 'ended', 'released']);
  });

  it('publishes nothing of a connection that it has left', async () => {
    const { venue, events, socket, raw } = await setUpSilent(60_000);
    socket.pause();
    await until(() => events.includes('ended'));
    socket.send('late');
    socket.resume();
    await until(() => venue.sockets.length === 2);
    expect(raw('venue_a', 'ws')).toEqual([]);
  });

  it.each<[string, (socket: WebSocket) => void]>([
    ['a close frame', (socket) => socket.close()],
    ['the end of the stream', (socket) => streamOf(socket).end()],
    ['a reset', (socket) => streamOf(socket).resetAndDestroy()],
  ])('counts a connection that the venue ended with %s no longer', async (_, endConnection) => {
    const { venue, events, socket } = await setUpSilent(60_000);
    endConnection(socket);
    await until(() => venue.sockets.length === 2);
    expect(events.slice(0, 3)).toEqual(['connected', 'ended', 'released']);
  });

  it('connects again after a subscriber ended the connection, with its reason', async () => {
    let links = 0;
    const onConnected = (link: SocketLink) => {
      links += 1;
      if (links === 1) setTimeout(() => link.close('not confirmed'), 10);
    };
    const heartbeat = { frame: 'ping', intervalMs: 10_000, silenceMs: 20_000, idleLimitMs: 60_000 };
    const { feeds, kinds } = await setUp({ onConnected, heartbeat });
    await until(() => kinds().length === 3);
    expect(feeds('venue_a').map(({ kind, reason }) => [kind, reason])).toEqual([
      ['connected', null],
      ['disconnected', 'not confirmed'],
      ['connected', null],
    ]);
  });

  it('detects a silent socket although it sends pings, and reconnects', async () => {
    const { venue, feeds, kinds } = await setUp({ heartbeat: { frame: 'ping', intervalMs: 20, silenceMs: 1_000 } });
    await until(() => kinds().length >= 4);
    expect(
      feeds('venue_a')
        .slice(0, 4)
        .map(({ kind }) => kind),
    ).toEqual(['connected', 'silent', 'disconnected', 'connected']);
    expect(feeds('venue_a')[1]?.reason).toBe('no frame for 1000 ms');
    expect(venue.received[0]).toContain('ping');
  });

  it('detects a silent socket, and no other, when the wall clock is set back or forward', async () => {
    const heartbeat = { frame: 'ping', intervalMs: 10_000, silenceMs: 1_000 };
    const now = Date.now;
    const wallClock = vi.spyOn(Date, 'now');
    closing.push(async () => wallClock.mockRestore());
    const back = await setUp({ heartbeat });
    await until(() => back.kinds().includes('connected'));
    wallClock.mockImplementation(() => now() - 3_600_000);
    await until(() => back.kinds().includes('silent'));
    const server = await startSocketServer();
    closing.push(() => server.close());
    server.onFrame = (socket, frame) => void (frame === 'ping' && socket.send('pong'));
    wallClock.mockImplementation(() => now());
    const forward = await setUp({ heartbeat: { ...heartbeat, intervalMs: 20, silenceMs: 20_000 } }, server);
    await until(() => forward.raw('venue_a', 'ws').length > 5);
    wallClock.mockImplementation(() => now() + 3_600_000);
    await until(() => forward.raw('venue_a', 'ws').length > 40);
    expect(forward.kinds()).toEqual(['connected']);
  });

  it('counts the answer to its ping as activity', async () => {
    const server = await startSocketServer();
    closing.push(() => server.close());
    server.onFrame = (socket, frame) => void (frame === 'ping' && socket.send('pong'));
    const { kinds, raw } = await setUp({ heartbeat: { frame: 'ping', intervalMs: 50, silenceMs: 1_000 } }, server);
    await until(() => raw('venue_a', 'ws').length > 40);
    expect(kinds()).toEqual(['connected']);
  });

  it('reports after five failures once that the venue is unreachable, and continues to retry', async () => {
    const server = await startSocketServer();
    const { url } = server;
    await server.close();
    const { kinds } = await setUp({ url });
    await until(() => kinds().includes('unreachable'), 20_000);
    expect(kinds()).toEqual(['unreachable']);
    const revived = await startSocketServer(Number(new URL(url).port));
    closing.push(() => revived.close());
    await until(() => revived.received[0]?.length === 2, 20_000);
    await until(() => kinds().includes('connected'));
  });

  it('opens no more connections than the venue allows', async () => {
    const { venue } = await setUp({
      planner: socketPlanner({ newConnections: new Budget({ max: 2, windowMs: 60_000 }) }),
    });
    await until(() => venue.sockets.length === 1);
    venue.sockets[0]?.terminate();
    await until(() => venue.sockets.length === 2);
    venue.sockets[1]?.terminate();
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(venue.sockets).toHaveLength(2);
  });

  it('stops reading while the log accepts nothing, does not count as silent meanwhile, and loses nothing', async () => {
    const { venue, log, publisher, kinds } = await setUp({
      heartbeat: { frame: 'ping', intervalMs: 10_000, silenceMs: 1_000 },
    });
    await until(() => venue.received[0]?.length === 2);
    log.fault = logFull();
    venue.sockets[0]?.send('0');
    await until(() => publisher.paused);
    // More than the buffers of the connection hold, so that a stopped reader can be distinguished from a running one.
    const frame = 'x'.repeat(64 * 1024);
    for (let i = 0; i < 1_000; i += 1) venue.sockets[0]?.send(frame);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(venue.sockets[0]!.bufferedAmount).toBeGreaterThan(0);
    log.fault = null;
    await until(() => log.of('raw.venue_a.ws').length === 1_001, 20_000);
    expect(kinds()).toEqual(['connected']);
  });

  it('records that it was closed', async () => {
    const { venue, feed, feeds, publisher } = await setUp();
    await until(() => venue.received[0]?.length === 2);
    await feed.close();
    await publisher.flush();
    expect(feeds('venue_a').at(-1)).toMatchObject({ kind: 'disconnected', reason: 'closed by us' });
  });
});

describe('reconnectDelayMs', () => {
  it('doubles from 250 ms to 30 s, plus or minus 30 percent', () => {
    expect([1, 2, 3, 8, 50].map((failures) => reconnectDelayMs(failures, () => 0.5))).toEqual([
      250, 500, 1_000, 30_000, 30_000,
    ]);
    expect(reconnectDelayMs(1, () => 0)).toBeCloseTo(175);
    expect(reconnectDelayMs(1, () => 1)).toBeCloseTo(325);
  });
});
