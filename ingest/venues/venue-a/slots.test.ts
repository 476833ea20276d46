import { afterEach, expect, it } from 'vitest';
import { loadSettings } from '#infra/config/settings';
import { VenuePlanner } from '../../feed/planner.ts';
import { openTestPublisher, silentLogger } from '../../testing/open-publisher.fixture.ts';
import { startSocketServer } from '../../testing/ws-server.fixture.ts';
import { limitsOf, SLOTS, SUBSCRIPTIONS_MAX } from './declaration.ts';
import { SubscriptionSlots } from './slots.ts';
import type { Subscription } from './subscriptions.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function openSlots() {
  const sockets = await startSocketServer();
  const test = await openTestPublisher();
  const context = { ...test, settings: loadSettings([], {}), logger: silentLogger, expect: () => () => {} };
  const planner = await VenuePlanner.open(limitsOf(60_000), { ...context, venue: 'venue_a' });
  const slots = new SubscriptionSlots({
    ...{ context, url: sockets.url, planner },
    onFrame: () => {},
    onAllConnected: () => {},
  });
  closing.push(
    () => test.publisher.close(),
    () => sockets.close(),
    () => planner.close(),
    () => slots.close(),
  );
  /** The coins of each record of what is left out. */
  const published = async () => {
    await test.publisher.flush();
    return test
      .feeds('venue_a')
      .filter(({ kind }) => kind === 'trades_left_out')
      .map(({ coins }) => coins);
  };
  /** What was published before anything was subscribed. */
  const first = async () => {
    await test.publisher.flush();
    return test.feeds('venue_a').map(({ feed, kind }) => `${feed} ${kind}`);
  };
  return { slots, published, first };
}

const trades = (count: number): Subscription[] =>
  Array.from({ length: count }, (_, nth) => ({ type: 'trades', coin: `C${String(nth).padStart(4, '0')}` }));
const books: Subscription[] = [{ type: 'l2Book', coin: 'BTC' }];

it('publishes the coins whose trades are left out: at the start, and when they change', async () => {
  const { slots, published } = await openSlots();
  slots.update([trades(SUBSCRIPTIONS_MAX), books]);
  expect(await published()).toEqual([[]]);
  slots.update([trades(SUBSCRIPTIONS_MAX + 2), books]);
  slots.update([trades(SUBSCRIPTIONS_MAX + 2), books, books]);
  expect(await published()).toEqual([[], ['C1000', 'C1001']]);
  slots.update([trades(3), books]);
  expect(await published()).toEqual([[], ['C1000', 'C1001'], []]);
});

it('states first that no slot is connected, since a process that was killed has not', async () => {
  const { first } = await openSlots();
  expect(await first()).toEqual(Array.from({ length: SLOTS }, (_, slot) => `venue_a.ws.${slot} disconnected`));
});
