import { rmSync } from 'node:fs';
import { afterEach, expect, it, vi } from 'vitest';
import { type AppendRecord, LogError } from '#infra/log/log';
import { progressTopic } from '#schemas/topics/webhooks';
import { answers, openEndpoint } from './endpoint.fixture.ts';
import type * as limits from './limits.ts';
import { numbers, openSenderHarness, type SenderHarness } from './sender.fixture.ts';
import { SENDER_TOPICS } from './sender.ts';

const GRACE_MS = 300;
vi.mock('./limits.ts', async (original) => ({
  ...(await original<typeof limits>()),
  CLOSE_GRACE_MS: 300,
  WAITING_PER_WEBHOOK_MAX: 2,
  WAITING_PER_WEBHOOK_MIN: 2,
}));

let harness: SenderHarness;

afterEach(async () => {
  await harness.close();
  rmSync(harness.path, { recursive: true, force: true });
});

/** Makes the log refuse records of these topics; resolves once it has refused one. */
function fillUp(topics: readonly string[]): Promise<void> {
  const append = harness.log.append.bind(harness.log);
  return new Promise((resolve) => {
    harness.log.append = async (records: readonly AppendRecord[]) => {
      if (!records.some(({ topic }) => topics.includes(topic))) return append(records);
      resolve();
      throw new LogError('log_full', 'no room');
    };
  });
}

async function stopWithin(limitMs: number): Promise<boolean> {
  const stopped = harness.stop().then(() => true);
  return Promise.race([stopped, new Promise<false>((resolve) => setTimeout(() => resolve(false), limitMs))]);
}

it('closes in time while progress cannot be stored', async () => {
  harness = await openSenderHarness();
  const endpoint = await openEndpoint(answers.status(200));
  await harness.webhook('wh_1', endpoint.url);
  const refused = fillUp([progressTopic.name]);
  await harness.deliver('wh_1', [1]);
  harness.start();
  await refused;
  expect(await stopWithin(GRACE_MS + 3_000)).toBe(true);
  await endpoint.close();
});

it('closes in time while deliveries beyond the bound at the start cannot be recorded', async () => {
  harness = await openSenderHarness();
  await harness.deliver('wh_1', numbers(5));
  const refused = fillUp(SENDER_TOPICS.map(({ name }) => name));
  harness.start();
  await refused;
  expect(await stopWithin(GRACE_MS + 3_000)).toBe(true);
});
