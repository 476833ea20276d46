import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { openTestLog } from '../control/open-test-log.fixture.ts';
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
  first.counts.take('org_1', SKU, QUOTA, 30, Date.now());
  await first.close();
  second.counts.take('org_1', SKU, QUOTA, 30, Date.now());
  expect(left(second)).toBe(40);
  await second.close();
});

it('after a restart knows what was served before', async () => {
  const { log, codec } = await openLog();
  const before = await openUsageHost({ log, codec, logger });
  before.counts.take('org_1', SKU, QUOTA, 30, Date.now());
  await before.close();
  const after = await openUsageHost({ log, codec, logger });
  expect(left(after)).toBe(70);
  await after.close();
});

it('counts what another node serves', async () => {
  const { log, codec } = await openLog();
  // The same log by two names, as two processes have it.
  const [one, other] = [bound(log), bound(log)];
  const here = await openUsageHost({ log: one, codec, logger });
  const there = await openUsageHost({ log: other, codec, logger });
  there.counts.take('org_1', SKU, QUOTA, 30, Date.now());
  here.counts.take('org_1', SKU, QUOTA, 5, Date.now());
  await expect.poll(() => [left(here), left(there)], { timeout: 5_000 }).toEqual([65, 65]);
  await here.close();
  await there.close();
});

function bound<T extends object>(target: T): T {
  return new Proxy(target, {
    get: (object, name) => {
      const value = Reflect.get(object, name) as unknown;
      return typeof value === 'function' ? value.bind(object) : value;
    },
  });
}
