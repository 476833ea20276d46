import { pino } from 'pino';
import { expect, it, onTestFinished, vi } from 'vitest';
import { usageTopic } from '#schemas/topics/usage';
import type { Codec } from '../codec/codec.ts';
import { RegistryError } from '../codec/confluent-registry.ts';
import { openTestLog } from '../control/open-test-log.fixture.ts';
import { slowLog } from '../control/slow-log.fixture.ts';
import { createHealth } from '../telemetry/health.ts';
import { openUsageHost } from './usage-host.ts';

const logger = pino({ enabled: false });
const QUOTA = { minute: 100, day: 100 };
const SKU = 'markets.read';

async function openLog() {
  const opened = await openTestLog();
  onTestFinished(() => opened.close());
  return opened;
}
const left = (host: Awaited<ReturnType<typeof openUsageHost>>) =>
  host.counts.windows('org_1', SKU, QUOTA, Date.now()).find(({ name }) => name === 'day')!.remaining;

it('gives the roles of one process one count, which goes on until the last of them has closed it', async () => {
  const { log, codec } = await openLog();
  const [first, second] = [await openUsageHost({ log, codec, logger }), await openUsageHost({ log, codec, logger })];
  first.counts.add('org_1', SKU, 30, Date.now());
  await first.close();
  second.counts.add('org_1', SKU, 30, Date.now());
  expect(left(second)).toBe(40);
  await second.close();
});

it('after a restart knows what was served before', async () => {
  const { log, codec } = await openLog();
  const before = await openUsageHost({ log, codec, logger });
  before.counts.add('org_1', SKU, 30, Date.now());
  await before.close();
  const after = await openUsageHost({ log, codec, logger });
  expect(left(after)).toBe(70);
  await after.close();
});

it('starts however long the usage takes to come, but not while none comes', async () => {
  // Noon, so that the replaced clock stays within the day.
  vi.useFakeTimers({ toFake: ['Date'], now: new Date().setUTCHours(12, 0, 0, 0) });
  onTestFinished(() => void vi.useRealTimers());
  const { log, codec } = await openLog();
  const before = await openUsageHost({ log, codec, logger });
  for (const sku of ['markets.read', 'api.request', 'pnl.read'] as const)
    before.counts.add('org_1', sku, 30, Date.now());
  await before.close();
  const after = await openUsageHost({ log: slowLog(log, usageTopic.name, { silent: false }).log, codec, logger });
  expect(left(after)).toBe(70);
  await after.close();
  const silent = slowLog(log, usageTopic.name, { silent: true });
  await expect(openUsageHost({ log: silent.log, codec, logger })).rejects.toMatchObject({
    code: 'log_unavailable',
    message: expect.stringContaining(usageTopic.name),
  });
  expect(silent.openReaders()).toBe(0);
});

it('counts what another node serves', async () => {
  const { log, codec } = await openLog();
  // The same log by two names, as two processes have it.
  const [one, other] = [bound(log), bound(log)];
  const here = await openUsageHost({ log: one, codec, logger });
  const there = await openUsageHost({ log: other, codec, logger });
  there.counts.add('org_1', SKU, 30, Date.now());
  here.counts.add('org_1', SKU, 5, Date.now());
  await expect.poll(() => [left(here), left(there)], { timeout: 5_000 }).toEqual([65, 65]);
  await here.close();
  await there.close();
});

it('counts all that another node tells although a schema cannot be fetched for a while', async () => {
  const { log, codec } = await openLog();
  const there = await openUsageHost({ log: bound(log), codec, logger });
  const health = createHealth();
  let asked = 0;
  const slow = codecThat(codec, async (bytes) => {
    asked += 1;
    if (asked > 1 && asked < 5) throw new RegistryError('the registry is away', true);
    return codec.fetchSchema(bytes);
  });
  const here = await openUsageHost({ log: bound(log), codec: slow, logger, health });
  // Both in one batch, of which the second cannot be read at first.
  there.counts.add('org_2', SKU, 10, Date.now());
  there.counts.add('org_1', SKU, 30, Date.now());
  await expect.poll(() => health.report().parts.usage, { timeout: 5_000 }).toMatch(/cannot be read/);
  await expect.poll(() => left(here), { timeout: 5_000 }).toBe(70);
  expect(health.report()).toMatchObject({ status: 'ok', parts: { usage: 'ready' } });
  await here.close();
  await there.close();
});

it('passes over what cannot be read, and tells of a fault that does not pass', async () => {
  const { log, codec } = await openLog();
  const health = createHealth();
  let isRefused = false;
  const broken = codecThat(codec, async (bytes) => {
    if (isRefused) throw new RegistryError('the registry refuses', false);
    return codec.fetchSchema(bytes);
  });
  const there = await openUsageHost({ log: bound(log), codec, logger });
  const here = await openUsageHost({ log: bound(log), codec: broken, logger, health });
  const at = { topic: 'control.usage', partition: 0, key: 'x', receivedAt: Date.now(), seq: 0 };
  await log.append([{ ...at, value: Buffer.from('no record') }]);
  there.counts.add('org_1', SKU, 30, Date.now());
  await expect.poll(() => left(here), { timeout: 5_000 }).toBe(70);
  isRefused = true;
  there.counts.add('org_1', SKU, 1, Date.now());
  expect(await health.failure).toMatchObject({ part: 'usage' });
  await here.close();
  await there.close();
});

function codecThat(codec: Codec, learn: Codec['fetchSchema']): Codec {
  const { prepare, encode, decode, decodeRecord, hasSchema: knows } = bound(codec);
  return { prepare, encode, decode, decodeRecord, hasSchema: knows, fetchSchema: learn };
}

function bound<T extends object>(target: T): T {
  return new Proxy(target, {
    get: (object, name) => {
      const value = Reflect.get(object, name) as unknown;
      return typeof value === 'function' ? value.bind(object) : value;
    },
  });
}
