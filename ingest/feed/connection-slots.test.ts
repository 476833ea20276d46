import { afterEach, describe, expect, it } from 'vitest';
import { openTestPublisher, silentLogger, until } from '../testing/open-publisher.fixture.ts';
import { startSocketServer } from '../testing/ws-server.fixture.ts';
import { Budget } from './budget.ts';
import { type Assignment, ConnectionSlots } from './connection-slots.ts';

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
    heartbeat: { frame: 'ping', everyMs: 10_000, silenceMs: 20_000 },
    connections: new Budget({ max: 1_000, windowMs: 1_000 }),
    messages: new Budget({ max: 1_000, windowMs: 1_000 }),
    hello: (names) => [`hello ${names.join(',')}`],
    change: (gone, added) => [`-${gone.join(',')} +${added.join(',')}`],
    onAllConnected: () => {
      allConnected += 1;
    },
  });
  closing.push(() => slots.close());
  /** What the connection heard whose hello named `name`. */
  const heardBy = (name: string) => venue.heard.find(([hello]) => hello?.includes(name));
  return { ...test, venue, slots, heardBy, allConnected: () => allConnected };
}

const assign = (...names: readonly (readonly string[])[]): Assignment<string> =>
  new Map(names.map((own, index) => [index, new Map(own.map((name) => [name, name]))]));

describe('connection slots', () => {
  it('open one connection for each slot that has something to watch, named by its place', async () => {
    const { slots, venue, feeds, allConnected } = await setUp();
    slots.want(assign(['a', 'b'], ['c']));
    await until(() => venue.heard.flat().length === 2);
    expect(venue.heard.flat().sort()).toEqual(['hello a,b', 'hello c']);
    expect(slots.current()).toEqual(['a', 'b', 'c']);
    await until(() => feeds('venue_a').length === 2);
    expect(
      feeds('venue_a')
        .map(({ feed }) => feed)
        .sort(),
    ).toEqual(['venue_a.ws.0', 'venue_a.ws.1']);
    expect(allConnected()).toBe(1);
  });

  it('send only what changed, each to its own connection, and nothing where nothing did', async () => {
    const { slots, venue, heardBy } = await setUp();
    slots.want(assign(['a', 'b'], ['c'], ['d']));
    await until(() => venue.heard.flat().length === 3);
    slots.want(assign(['b', 'e'], ['c']));
    await until(() => venue.heard.flat().length === 5);
    expect(heardBy('a')).toEqual(['hello a,b', '-a +e']);
    expect(heardBy('hello c')).toEqual(['hello c']);
    expect(heardBy('d')).toEqual(['hello d', '-d +']);
    expect(slots.current()).toEqual(['b', 'e', 'c']);
  });

  it('say hello with what is wanted by then when a connection is made again', async () => {
    const { slots, venue } = await setUp();
    slots.want(assign(['a']));
    await until(() => venue.heard[0]?.length === 1);
    slots.want(assign(['a', 'b']));
    await until(() => venue.heard[0]?.length === 2);
    venue.sockets[0]?.close();
    await until(() => venue.heard[1]?.length === 1);
    expect(venue.heard[1]).toEqual(['hello a,b']);
  });

  it('are all connected where there is nothing to watch', async () => {
    const { slots, venue, allConnected } = await setUp();
    slots.want(assign());
    expect(allConnected()).toBe(1);
    expect(venue.sockets).toEqual([]);
  });
});
