import { afterEach, describe, expect, it } from 'vitest';
import { openTestPublisher, silentLogger, until } from '../testing/open-publisher.fixture.ts';
import { FeedLife } from './feed-life.ts';
import { Poller, type PollerOptions } from './poller.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function setUp(options: Partial<PollerOptions>) {
  const test = await openTestPublisher();
  closing.push(() => test.publisher.close());
  const { publisher, metrics } = test;
  const life = new FeedLife({ venue: 'venue_a', feed: 'venue_a.info', publisher, logger: silentLogger, metrics });
  const rounds: number[] = [];
  const round = options.round ?? (async () => life.connect());
  const poller = new Poller({
    life,
    publisher,
    logger: silentLogger,
    everyMs: () => 60_000,
    soonestMs: 100,
    ...options,
    round: async (signal) => {
      rounds.push(Date.now());
      await round(signal);
    },
  });
  closing.push(() => poller.close());
  return { ...test, poller, rounds, life };
}

describe('Poller', () => {
  it('begins at once and goes on at its interval', async () => {
    const { rounds } = await setUp({ everyMs: () => 30, soonestMs: 30 });
    await until(() => rounds.length === 3);
    expect(rounds[2]! - rounds[0]!).toBeGreaterThanOrEqual(58);
  });

  it('is nudged into the next round, but no sooner than it may', async () => {
    const { poller, rounds } = await setUp({});
    await until(() => rounds.length === 1);
    poller.nudge();
    poller.nudge();
    await until(() => rounds.length === 2);
    expect(rounds[1]! - rounds[0]!).toBeGreaterThanOrEqual(98);
  });

  it('asks again sooner after a failure, and records that it failed and that it works again', async () => {
    let failing = true;
    const { rounds, feeds, life, publisher } = await setUp({
      round: async () => {
        life.connect();
        if (rounds.length === 1) return;
        if (failing) throw new Error('no answer');
      },
      everyMs: () => 20,
      soonestMs: 20,
    });
    await until(() => rounds.length >= 3);
    failing = false;
    await until(() => life.failed === 0);
    await publisher.flush();
    expect(
      feeds('venue_a')
        .slice(0, 3)
        .map(({ kind, reason }) => [kind, reason]),
    ).toEqual([
      ['connected', null],
      ['disconnected', 'no answer'],
      ['connected', null],
    ]);
  });

  it('ends while it waits and while it asks', async () => {
    const { poller, rounds } = await setUp({
      round: (signal) => new Promise((_, reject) => void signal.addEventListener('abort', () => reject(signal.reason))),
    });
    await until(() => rounds.length === 1);
    await poller.close();
    expect(rounds).toHaveLength(1);
  });
});
