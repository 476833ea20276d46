import { afterEach, describe, expect, it } from 'vitest';
import { openTestPublisher, silentLogger, until } from '../testing/open-publisher.fixture.ts';
import { socketPlanner } from '../testing/socket-planner.fixture.ts';
import { startSocketServer } from '../testing/ws-server.fixture.ts';
import { type Assignment, ConnectionSlots } from './connection-slots.ts';
import { FrameSubscriber } from './frame-subscriber.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function setUp() {
  const venue = await startSocketServer();
  closing.push(() => venue.close());
  const test = await openTestPublisher();
  closing.push(() => test.publisher.close());
  let allConnected = 0;
  const slots = new ConnectionSlots<string>({
    venue: 'venue_a',
    source: 'venue_a.ws',
    url: venue.url,
    publisher: test.publisher,
    logger: silentLogger,
    metrics: test.metrics,
    heartbeat: { frame: 'ping', intervalMs: 10_000, silenceMs: 20_000 },
    planner: socketPlanner(),
    subscriber: () =>
      new FrameSubscriber({
        subscribe: (names) => [`subscribe ${names.join(',')}`],
        change: (removed, added) => [`-${removed.join(',')} +${added.join(',')}`],
      }),
    onAllConnected: () => {
      allConnected += 1;
    },
  });
  closing.push(() => slots.close());
  /** The frames of the connection whose first frame names `name`. */
  const framesWith = (name: string) => venue.received.find(([first]) => first?.includes(name));
  return { ...test, venue, slots, framesWith, allConnected: () => allConnected };
}

const assign = (...names: readonly (readonly string[])[]): Assignment<string> =>
  new Map(names.map((own, index) => [index, new Map(own.map((name) => [name, name]))]));

describe('connection slots', () => {
  it('open one connection for each slot with subscriptions, named by its index', async () => {
    const { slots, venue, feeds, allConnected } = await setUp();
    slots.update(assign(['a', 'b'], ['c']));
    await until(() => venue.received.flat().length === 2);
    expect(venue.received.flat().sort()).toEqual(['subscribe a,b', 'subscribe c']);
    expect(slots.subscriptions()).toEqual(['a', 'b', 'c']);
    await until(() => feeds('venue_a').length === 2);
    expect(
      feeds('venue_a')
        .map(({ feed }) => feed)
        .sort(),
    ).toEqual(['venue_a.ws.0', 'venue_a.ws.1']);
    expect(allConnected()).toBe(1);
  });

  it('send only changes, each to its own connection', async () => {
    const { slots, venue, framesWith } = await setUp();
    slots.update(assign(['a', 'b'], ['c'], ['d']));
    await until(() => venue.received.flat().length === 3);
    slots.update(assign(['b', 'e'], ['c']));
    await until(() => venue.received.flat().length === 5);
    expect(framesWith('a')).toEqual(['subscribe a,b', '-a +e']);
    expect(framesWith('subscribe c')).toEqual(['subscribe c']);
    expect(framesWith('d')).toEqual(['subscribe d', '-d +']);
    expect(slots.subscriptions()).toEqual(['b', 'e', 'c']);
  });

  it('subscribe to the current subscriptions after a reconnect', async () => {
    const { slots, venue } = await setUp();
    slots.update(assign(['a']));
    await until(() => venue.received[0]?.length === 1);
    slots.update(assign(['a', 'b']));
    await until(() => venue.received[0]?.length === 2);
    venue.sockets[0]?.close();
    await until(() => venue.received[1]?.length === 1);
    expect(venue.received[1]).toEqual(['subscribe a,b']);
  });

  it('count as connected if there is nothing to subscribe to', async () => {
    const { slots, venue, allConnected } = await setUp();
    slots.update(assign());
    expect(allConnected()).toBe(1);
    expect(venue.sockets).toEqual([]);
  });
});
