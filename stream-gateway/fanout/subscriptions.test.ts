import { setImmediate as yieldToIo } from 'node:timers/promises';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import type { Codec } from '#infra/codec/codec';
import type { EventLog } from '#infra/log/log';
import { REPLAYS_PENDING_PER_CONNECTION_MAX, REPLAYS_PER_CONNECTION_MAX } from '../connection/limits.ts';
import { type FakeConnection, fakeConnection } from '../testing/fake-socket.fixture.ts';
import { Hub } from './hub.ts';
import { marketStatusView } from './market-status.ts';
import { Subscriptions } from './subscriptions.ts';

const CHANNEL = 'svc:stream:event:evt_one';

/** Subscriptions over a log that answers questions of history only when told to. */
function open() {
  const asked: (() => void)[] = [];
  const log = {
    bounds: () =>
      new Promise((resolve) => {
        asked.push(() => resolve({ first: 0, next: 0 }));
      }),
  } as unknown as EventLog;
  const logger = pino({ enabled: false });
  const ignore = () => {};
  const hub = new Hub({
    log,
    codec: {} as Codec,
    logger,
    onUnreadable: ignore,
    onTrouble: ignore,
    onHole: ignore,
  });
  const status = { markets: marketStatusView.initialState(), lagging: new Map() };
  return { asked, subscriptions: new Subscriptions({ log, hub, logger, status }) };
}

/** Asks for history and ends it again, as a client does that wants to fill the line. */
function churn(subscriptions: Subscriptions, { connection }: FakeConnection, times: number): void {
  for (let nth = 0; nth < times; nth += 1) {
    subscriptions.subscribe(connection, CHANNEL, 'earliest');
    for (const id of [...connection.subscriptions.keys()]) subscriptions.unsubscribe(connection, id);
  }
}

describe('replays', () => {
  it('of one connection are bounded, those of ended subscriptions included, and of no other', async () => {
    const { subscriptions, asked } = open();
    const [greedy, modest] = [fakeConnection('greedy'), fakeConnection('modest')];
    churn(subscriptions, greedy, REPLAYS_PENDING_PER_CONNECTION_MAX);
    const refused = { type: 'error', error: 'quota_exceeded', channel: CHANNEL };
    expect(greedy.sent).not.toContainEqual(refused);
    subscriptions.subscribe(greedy.connection, CHANNEL, 'earliest');
    expect(greedy.sent.at(-1)).toEqual(refused);
    subscriptions.subscribe(modest.connection, CHANNEL, 'earliest');
    expect(modest.sent).toEqual([]);
    // What was ended makes room as its turn comes.
    await yieldToIo();
    for (const answer of asked) answer();
    await settle();
    subscriptions.subscribe(greedy.connection, CHANNEL, 'earliest');
    expect(greedy.sent.filter(({ error }) => error === 'quota_exceeded').length).toBe(1);
  });

  it('of one connection are read a few at a time, so that another has its turn at once', async () => {
    const { subscriptions, asked } = open();
    const [greedy, modest] = [fakeConnection('greedy'), fakeConnection('modest')];
    for (let nth = 0; nth < 1_000; nth += 1) subscriptions.subscribe(greedy.connection, CHANNEL, 'earliest');
    await settle();
    expect(asked.length).toBe(REPLAYS_PER_CONNECTION_MAX);
    subscriptions.subscribe(modest.connection, CHANNEL, 'earliest');
    await settle();
    expect(asked.length).toBe(REPLAYS_PER_CONNECTION_MAX + 1);
  });
});

async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await yieldToIo();
}
