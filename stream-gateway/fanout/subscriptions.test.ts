import { setImmediate as yieldToIo } from 'node:timers/promises';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import type { Codec } from '#infra/codec/codec';
import type { EventLog } from '#infra/log/log';
import { createHealth } from '#infra/telemetry/health';
import { OpenProblems } from '#infra/telemetry/open-problems';
import { REPLAYS_PENDING_PER_CONNECTION_MAX, REPLAYS_PER_CONNECTION_MAX } from '../connection/limits.ts';
import { type FakeConnection, fakeConnection } from '../testing/fake-socket.fixture.ts';
import { Hub } from './hub.ts';
import { marketStatusView } from './market-status.ts';
import { Subscriptions } from './subscriptions.ts';

const CHANNEL = 'svc:stream:event:evt_one';

/** Subscriptions over a log that answers calls of `bounds` only when the test resolves them. */
function open() {
  const pendingBounds: (() => void)[] = [];
  const log = {
    bounds: () =>
      new Promise((resolve) => {
        pendingBounds.push(() => resolve({ first: 0, next: 0 }));
      }),
  } as unknown as EventLog;
  const logger = pino({ enabled: false });
  const ignore = () => {};
  const hub = new Hub({
    log,
    codec: {} as Codec,
    logger,
    onUndecodable: ignore,
    problems: new OpenProblems(createHealth(), 'gateway'),
    onGap: ignore,
  });
  const status = { markets: marketStatusView.initialState(), lagging: new Map() };
  return { pendingBounds, subscriptions: new Subscriptions({ log, hub, logger, status }) };
}

/** Subscribes with history and unsubscribes again, as a client does that wants to fill the queue. */
function churn(subscriptions: Subscriptions, { connection }: FakeConnection, times: number): void {
  for (let nth = 0; nth < times; nth += 1) {
    subscriptions.subscribe(connection, CHANNEL, 'earliest');
    for (const id of [...connection.subscriptions.keys()]) subscriptions.unsubscribe(connection, id);
  }
}

describe('replays', () => {
  it('of one connection are bounded, including those of ended subscriptions, without affecting other connections', async () => {
    const { subscriptions, pendingBounds } = open();
    const [greedy, modest] = [fakeConnection('greedy'), fakeConnection('modest')];
    churn(subscriptions, greedy, REPLAYS_PENDING_PER_CONNECTION_MAX);
    const refused = { type: 'error', error: 'quota_exceeded', channel: CHANNEL };
    expect(greedy.sent).not.toContainEqual(refused);
    subscriptions.subscribe(greedy.connection, CHANNEL, 'earliest');
    expect(greedy.sent.at(-1)).toEqual(refused);
    subscriptions.subscribe(modest.connection, CHANNEL, 'earliest');
    expect(modest.sent).toEqual([]);
    // Ended replays make room as their turns come.
    await yieldToIo();
    for (const answer of pendingBounds) answer();
    await settle();
    subscriptions.subscribe(greedy.connection, CHANNEL, 'earliest');
    expect(greedy.sent.filter(({ error }) => error === 'quota_exceeded').length).toBe(1);
  });

  it('of one connection are read a few at a time, so that another connection has its turn at once', async () => {
    const { subscriptions, pendingBounds } = open();
    const [greedy, modest] = [fakeConnection('greedy'), fakeConnection('modest')];
    for (let nth = 0; nth < 1_000; nth += 1) subscriptions.subscribe(greedy.connection, CHANNEL, 'earliest');
    await settle();
    expect(pendingBounds.length).toBe(REPLAYS_PER_CONNECTION_MAX);
    subscriptions.subscribe(modest.connection, CHANNEL, 'earliest');
    await settle();
    expect(pendingBounds.length).toBe(REPLAYS_PER_CONNECTION_MAX + 1);
  });
});

async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await yieldToIo();
}
