import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { logFull, MemoryLog } from '../testing/memory-log.fixture.ts';
import { openTestPublisher, silentLogger, until } from '../testing/open-publisher.fixture.ts';
import { Budget } from './budget.ts';
import { type Limits, VenuePlanner } from './planner.ts';

const LIMITS: Limits = {
  weight: { max: 100, windowMs: 60_000, chunk: 20 },
  connections: { max: 10, windowMs: 50, chunk: 10 },
  newConnections: { max: 30, used: 28, windowMs: 60_000, chunk: 1 },
  subscriptions: { max: 1_000, windowMs: 50, chunk: 1_000 },
  messages: { max: 2_000, used: 1_900, windowMs: 62_000, chunk: 100 },
};
const SIGNAL = new AbortController().signal;

async function setUp(log = new MemoryLog()) {
  const { codec, metrics } = await openTestPublisher({ log });
  /** A planner of another process on the same log. */
  const start = (limits = LIMITS) =>
    VenuePlanner.open(limits, { venue: 'venue_a', log, codec, logger: silentLogger, metrics });
  return { log, metrics, start };
}

/** Spends weight while there is room at once, at most so many times. @returns what was spent. */
async function spend({ weight }: VenuePlanner, cost: number, timesMax = Number.POSITIVE_INFINITY): Promise<number> {
  let times = 0;
  for (; times < timesMax && weight.hasRoom(cost); times += 1) await weight.acquire(cost);
  return times * cost;
}

it('never spends more than the limit, however often a process is killed and started again', async () => {
  const { start } = await setUp();
  let total = 0;
  for (let kill = 0; kill < 10; kill += 1) {
    const planner = await start();
    // Each process is killed in the middle of its grant: nothing is closed.
    total += await spend(planner, 4, 3);
  }
  const last = await start();
  total += await spend(last, 1);
  expect(total).toBeLessThanOrEqual(100);
  // A kill costs at most what was granted and not spent.
  expect(total).toBeGreaterThanOrEqual(60);
});

it('continues after an orderly end with exactly what is left', async () => {
  const { start } = await setUp();
  const first = await start();
  expect(await spend(first, 7)).toBe(98);
  await first.close();
  const second = await start();
  expect(second.weight.used).toBe(98);
  expect(await spend(second, 1)).toBe(2);
});

it.each(['killed', 'closed'])(
  'does not forget how long the venue wants no requests when a process is %s',
  async (end) => {
    const { start } = await setUp();
    const first = await start();
    await first.weight.acquire(4);
    first.weight.blockFor(100);
    // A longer block while the first one is being stored.
    first.weight.blockFor(1_000);
    if (end === 'closed') await first.close();
    else await new Promise((resolve) => setTimeout(resolve, 50));
    const second = await start();
    const since = performance.now();
    await second.weight.acquire(1);
    expect(performance.now() - since).toBeGreaterThan(500);
    expect(second.weight.used).toBe(end === 'closed' ? 5 : 21);
  },
);

it('ends a stored block after a minute at the latest, also if the clock was set back', () => {
  const grants = { earlier: [], chunk: 1, blockedUntil: Date.now() + 3_600_000, store: async () => {} };
  const budget = new Budget({ max: 10, windowMs: 60_000, grants });
  expect(budget.untilRoomMs(1)).toBeGreaterThan(59_000);
  expect(budget.untilRoomMs(1)).toBeLessThanOrEqual(60_000);
});

it('spends nothing while the log accepts nothing', async () => {
  const { log, start } = await setUp();
  const planner = await start();
  log.fault = logFull();
  let isSpent = false;
  const spending = planner.weight.acquire(1).then(() => {
    isSpent = true;
  });
  await until(() => log.refused > 1);
  expect(isSpent).toBe(false);
  log.fault = null;
  await spending;
});

it('counts connections and subscriptions of a killed process until the venue has noticed', async () => {
  const { start } = await setUp();
  // Long enough that nothing expires before it is looked at.
  const windowMs = 1_000;
  const { connections, subscriptions } = LIMITS;
  const limits = {
    ...LIMITS,
    connections: { ...connections, windowMs },
    subscriptions: { ...subscriptions, windowMs },
  };
  const first = await start(limits);
  for (let open = 0; open < 8; open += 1) await first.sockets.openConnection(open, SIGNAL);
  await first.subscriptions.reserve(1);
  const second = await start(limits);
  let opened = 0;
  for (let open = 0; open < 8; open += 1)
    void second.sockets.openConnection(open, SIGNAL).then(() => {
      opened += 1;
    });
  await new Promise((resolve) => setImmediate(resolve));
  expect(opened).toBe(0);
  await until(() => opened === 8);
});

it('allows no more new connections than the venue, over all processes', async () => {
  const { start } = await setUp();
  let opened = 0;
  for (let process = 0; process < 5; process += 1) {
    const planner = await start();
    const killing = new AbortController();
    const open = () =>
      planner.sockets.openConnection(0, killing.signal).then(
        (permit) => {
          opened += 1;
          permit.attempted();
        },
        () => {},
      );
    const opening = Array.from({ length: 8 }, open);
    await until(() => opened >= Math.min(28, 8 * (process + 1)));
    // Those that are not allowed wait.
    if (opened >= 28) await sleep(100);
    killing.abort();
    await Promise.all(opening);
  }
  expect(opened).toBe(28);
});

it('reports each limit of the venue and what counts against it', async () => {
  const { start, metrics } = await setUp();
  const planner = await start();
  await planner.weight.acquire(3);
  await planner.sockets.openConnection(0, SIGNAL);
  const text = await metrics.registry.metrics();
  for (const line of [
    'limit{venue="venue_a",limit="weight"} 100',
    'limit{venue="venue_a",limit="connections"} 10',
    'limit{venue="venue_a",limit="new_connections"} 30',
    'limit{venue="venue_a",limit="subscriptions"} 1000',
    'limit{venue="venue_a",limit="messages"} 2000',
    'limit_used{venue="venue_a",limit="weight"} 3',
    'limit_used{venue="venue_a",limit="connections"} 1',
    'limit_used{venue="venue_a",limit="new_connections"} 1',
  ])
    expect(text).toContain(`parallax_venue_${line}`);
});
