/** Tests what happens while a read of the log or of the schema registry waits or fails. */
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { RegistryError } from '#infra/codec/confluent-registry';
import { until } from '../testing/client.fixture.ts';
import { fakeConnection } from '../testing/fake-socket.fixture.ts';
import { CHANNEL, FakeLog, open, seqs, subscribe } from '../testing/hub.fixture.ts';
import { marketStatusView } from './market-status.ts';
import { Subscriptions } from './subscriptions.ts';

/** A value whose schema has to be fetched. */
const unknown = (seq: number) => Buffer.from(JSON.stringify({ seq, unknown: true }));

describe('a replay that waits for a registry that is unavailable', () => {
  it('ends when its connection closes, so that the gateway can close', async () => {
    const log = new FakeLog();
    log.stored.push({ ...log.put(1, 1, { live: false }), offset: 2, value: unknown(2) });
    const { hub } = await open(log);
    let failures = 0;
    log.fetchSchema = async () => {
      failures += 1;
      throw new RegistryError('the registry is unavailable', true);
    };
    const subscriptions = new Subscriptions({
      log: log.log,
      hub,
      logger: pino({ enabled: false }),
      status: { markets: marketStatusView.initialState(), lagging: new Map() },
    });
    const fake = fakeConnection();
    subscriptions.subscribe(fake.connection, CHANNEL, 'earliest');
    await until(() => failures >= 2, 'two failures');
    subscriptions.removeAll(fake.connection);
    await subscriptions.close();
    const failuresAtClose = failures;
    expect(fake.sent.filter(({ type }) => type === 'error')).toEqual([]);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(failures).toBe(failuresAtClose);
  });
});

describe('a live event that waits for its schema', () => {
  it('reaches a subscriber who joined meanwhile, after the last one left', async () => {
    const log = new FakeLog();
    const { hub } = await open(log);
    let answer: (() => void) | null = null;
    log.fetchSchema = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    const first = subscribe(hub);
    log.live.push({ ...log.put(1, 1, { live: false }), value: unknown(1) });
    await until(() => answer !== null, 'the fetch');
    hub.remove(first.subscription);
    const second = subscribe(hub);
    answer!();
    log.put(2, 2);
    await until(() => seqs(second.fake).includes(2), 'the next event');
    expect(seqs(second.fake)).toEqual([1, 2]);
  });
});
