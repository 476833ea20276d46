import { afterEach, describe, expect, it } from 'vitest';
import { openTestPublisher, silentLogger, until } from '../testing/open-publisher.fixture.ts';
import { ConnectionState } from './connection-state.ts';
import { Poller, type PollerOptions } from './poller.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function setUp(options: Partial<PollerOptions>) {
  const test = await openTestPublisher();
  closing.push(() => test.publisher.close());
  const { publisher, metrics } = test;
  const connection = new ConnectionState({
    venue: 'venue_a',
    feed: 'venue_a.info',
    publisher,
    logger: silentLogger,
    metrics,
  });
  const rounds: number[] = [];
  const round = options.round ?? (async () => connection.markConnected());
  const poller = new Poller({
    connection,
    publisher,
    logger: silentLogger,
    intervalMs: () => 60_000,
    minIntervalMs: 100,
    ...options,
    round: async (signal) => {
      rounds.push(Date.now());
      await round(signal);
    },
  });
  closing.push(() => poller.close());
  return { ...test, poller, rounds, connection };
}

describe('Poller', () => {
  it('starts immediately and continues at its interval', async () => {
    const { rounds } = await setUp({ intervalMs: () => 30, minIntervalMs: 30 });
    await until(() => rounds.length === 3);
    expect(rounds[2]! - rounds[0]!).toBeGreaterThanOrEqual(58);
  });

  it('starts a requested round early, but not before the minimum interval', async () => {
    const { poller, rounds } = await setUp({});
    await until(() => rounds.length === 1);
    poller.requestRound();
    poller.requestRound();
    await until(() => rounds.length === 2);
    expect(rounds[1]! - rounds[0]!).toBeGreaterThanOrEqual(98);
  });

  it('retries sooner after a failure, and records the failure and the recovery', async () => {
    let failing = true;
    const { rounds, feeds, connection, publisher } = await setUp({
      round: async () => {
        connection.markConnected();
        if (rounds.length === 1) return;
        if (failing) throw new Error('no answer');
      },
      intervalMs: () => 20,
      minIntervalMs: 20,
    });
    await until(() => rounds.length >= 3);
    failing = false;
    await until(() => connection.failures === 0);
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

  it('starts after its first delay, and waits after a failure for the delay of a retry', async () => {
    const began = Date.now();
    const failures: number[] = [];
    const { rounds } = await setUp({
      firstDelayMs: 50,
      minIntervalMs: 0,
      retryDelayMs: (count) => {
        failures.push(count);
        return 5;
      },
      round: () => Promise.reject(new Error('no answer')),
    });
    await until(() => rounds.length === 4);
    expect(rounds[0]! - began).toBeGreaterThanOrEqual(48);
    expect(failures.slice(0, 3)).toEqual([1, 2, 3]);
  });

  it('closes before its first round', async () => {
    const { poller, rounds } = await setUp({ firstDelayMs: 60_000 });
    await poller.close();
    expect(rounds).toEqual([]);
  });

  it('closes while it waits and while a round runs', async () => {
    const { poller, rounds } = await setUp({
      round: (signal) => new Promise((_, reject) => void signal.addEventListener('abort', () => reject(signal.reason))),
    });
    await until(() => rounds.length === 1);
    await poller.close();
    expect(rounds).toHaveLength(1);
  });
});
