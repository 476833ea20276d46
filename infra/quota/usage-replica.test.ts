import { pino } from 'pino';
import { expect, it, onTestFinished, vi } from 'vitest';
import { usageTopic } from '#schemas/topics/usage';
import type { Codec } from '../codec/codec.ts';
import { RegistryError } from '../codec/confluent-registry.ts';
import { openTestLog } from '../control/open-test-log.fixture.ts';
import { slowLog } from '../control/slow-log.fixture.ts';
import { createHealth } from '../telemetry/health.ts';
import { openUsageReplica } from './usage-replica.ts';

const logger = pino({ enabled: false });
const QUOTA = { minute: 100, day: 100 };
const SKU = 'markets.read';

async function openLog() {
  const opened = await openTestLog();
  onTestFinished(() => opened.close());
  return opened;
}
const remaining = (replica: Awaited<ReturnType<typeof openUsageReplica>>) =>
  replica.counts.windows('org_1', SKU, QUOTA, Date.now()).find(({ name }) => name === 'day')!.remaining;

it('shares one count among the roles of a process until the last of them closes it', async () => {
  const { log, codec } = await openLog();
  const [first, second] = [
    await openUsageReplica({ log, codec, logger }),
    await openUsageReplica({ log, codec, logger }),
  ];
  first.counts.add('org_1', SKU, 30, Date.now());
  await first.close();
  second.counts.add('org_1', SKU, 30, Date.now());
  expect(remaining(second)).toBe(40);
  await second.close();
});

it('restores earlier usage after a restart', async () => {
  const { log, codec } = await openLog();
  const before = await openUsageReplica({ log, codec, logger });
  before.counts.add('org_1', SKU, 30, Date.now());
  await before.close();
  const after = await openUsageReplica({ log, codec, logger });
  expect(remaining(after)).toBe(70);
  await after.close();
});

it('publishes no earlier receive time after the clock was set back, also after a restart', async () => {
  // Noon, so that the replaced clock stays within the day.
  const noon = new Date().setUTCHours(12, 0, 0, 0);
  vi.useFakeTimers({ toFake: ['Date'], now: noon });
  onTestFinished(() => void vi.useRealTimers());
  const { log, codec } = await openLog();
  const receivedAt: number[] = [];
  for (const now of [noon, noon - 60_000, noon + 5_000]) {
    const replica = await openUsageReplica({ log, codec, logger });
    vi.setSystemTime(now);
    replica.counts.add('org_1', SKU, 1, Date.now());
    await replica.close();
    receivedAt.push((await log.last({ topic: usageTopic.name, partition: 0 }))!.receivedAt);
  }
  expect(receivedAt).toEqual([noon, noon, noon + 5_000]);
});

it('starts however slowly the usage arrives, but fails if none arrives', async () => {
  // Noon, so that the replaced clock stays within the day.
  vi.useFakeTimers({ toFake: ['Date'], now: new Date().setUTCHours(12, 0, 0, 0) });
  onTestFinished(() => void vi.useRealTimers());
  const { log, codec } = await openLog();
  const before = await openUsageReplica({ log, codec, logger });
  for (const sku of ['markets.read', 'api.request', 'pnl.read'] as const)
    before.counts.add('org_1', sku, 30, Date.now());
  await before.close();
  const after = await openUsageReplica({ log: slowLog(log, usageTopic.name, { silent: false }).log, codec, logger });
  expect(remaining(after)).toBe(70);
  await after.close();
  const silent = slowLog(log, usageTopic.name, { silent: true });
  await expect(openUsageReplica({ log: silent.log, codec, logger })).rejects.toMatchObject({
    code: 'log_unavailable',
    message: expect.stringContaining(usageTopic.name),
  });
  expect(silent.openReaders()).toBe(0);
});

it('counts what another node serves', async () => {
  const { log, codec } = await openLog();
  // Two objects for the same log, as in two processes.
  const [one, other] = [bound(log), bound(log)];
  const here = await openUsageReplica({ log: one, codec, logger });
  const there = await openUsageReplica({ log: other, codec, logger });
  there.counts.add('org_1', SKU, 30, Date.now());
  here.counts.add('org_1', SKU, 5, Date.now());
  await expect.poll(() => [remaining(here), remaining(there)], { timeout: 5_000 }).toEqual([65, 65]);
  await here.close();
  await there.close();
});

it('counts all usage of another node although a schema cannot be fetched for a while', async () => {
  const { log, codec } = await openLog();
  const there = await openUsageReplica({ log: bound(log), codec, logger });
  const health = createHealth();
  let fetches = 0;
  const slow = codecWith(codec, {
    hasSchema: () => false,
    fetchSchema: async () => {
      fetches += 1;
      if (fetches > 1 && fetches < 5) throw new RegistryError('the registry is unavailable', true);
    },
  });
  const here = await openUsageReplica({ log: bound(log), codec: slow, logger, health });
  // Both are in one batch; the second cannot be read at first.
  there.counts.add('org_2', SKU, 10, Date.now());
  there.counts.add('org_1', SKU, 30, Date.now());
  await expect.poll(() => health.report().parts.usage, { timeout: 5_000 }).toMatch(/could not process/);
  await expect.poll(() => remaining(here), { timeout: 5_000 }).toBe(70);
  expect(health.report()).toMatchObject({ status: 'ok', parts: { usage: 'ready' } });
  await here.close();
  await there.close();
});

it('skips undecodable records, and reports a permanent failure', async () => {
  const { log, codec } = await openLog();
  const health = createHealth();
  let isRefused = false;
  const broken = codecWith(codec, {
    hasSchema: () => !isRefused,
    fetchSchema: () => Promise.reject(new RegistryError('the registry refuses', false)),
  });
  const there = await openUsageReplica({ log: bound(log), codec, logger });
  const here = await openUsageReplica({ log: bound(log), codec: broken, logger, health });
  const at = { topic: 'control.usage', partition: 0, key: 'x', receivedAt: Date.now(), seq: 0 };
  await log.append([{ ...at, value: Buffer.from('no record') }]);
  there.counts.add('org_1', SKU, 30, Date.now());
  await expect.poll(() => remaining(here), { timeout: 5_000 }).toBe(70);
  isRefused = true;
  there.counts.add('org_1', SKU, 1, Date.now());
  expect(await health.failure).toMatchObject({ part: 'usage' });
  await here.close();
  await there.close();
});

function codecWith(codec: Codec, replaced: Pick<Codec, 'hasSchema' | 'fetchSchema'>): Codec {
  const { prepare, encode, decode, decodeRecord } = bound(codec);
  return { prepare, encode, decode, decodeRecord, ...replaced };
}

function bound<T extends object>(target: T): T {
  return new Proxy(target, {
    get: (object, name) => {
      const value = Reflect.get(object, name) as unknown;
      return typeof value === 'function' ? value.bind(object) : value;
    },
  });
}

it('publishes the last use of keys, which other nodes and later starts know', async () => {
  const { log, codec } = await openLog();
  const before = await openUsageReplica({ log, codec, logger });
  const minute = Date.now() - (Date.now() % 60_000);
  before.keyUses.mark('key_1', minute + 5);
  await before.close();
  const after = await openUsageReplica({ log, codec, logger });
  expect([after.keyUses.lastUsedAt('key_1'), after.keyUses.lastUsedAt('key_2')]).toEqual([minute, null]);
  await after.close();
});
