import { rmSync } from 'node:fs';
import { afterEach, expect, it, vi } from 'vitest';
import { type AppendRecord, LogError } from '#infra/log/log';
import { progressTopic } from '#schemas/topics/webhooks';
import { answers, openEndpoint } from './endpoint.fixture.ts';
import type * as limits from './limits.ts';
import { numbers, openSenderWorld, type SenderWorld } from './sender.fixture.ts';
import { SENDER_TOPICS } from './sender.ts';

const GRACE_MS = 300;
vi.mock('./limits.ts', async (original) => ({
  ...(await original<typeof limits>()),
  CLOSE_GRACE_MS: 300,
  WAITING_PER_WEBHOOK_MAX: 2,
  WAITING_PER_WEBHOOK_MIN: 2,
}));

let world: SenderWorld;

afterEach(async () => {
  await world.close();
  rmSync(world.path, { recursive: true, force: true });
});

/** The log takes no record of these topics any more; resolves once it has refused one. */
function fillUp(topics: readonly string[]): Promise<void> {
  const append = world.log.append.bind(world.log);
  return new Promise((tell) => {
    world.log.append = async (records: readonly AppendRecord[]) => {
      if (!records.some(({ topic }) => topics.includes(topic))) return append(records);
      tell();
      throw new LogError('log_full', 'no room');
    };
  });
}

async function stopWithin(limitMs: number): Promise<boolean> {
  const stopped = world.stop().then(() => true);
  return Promise.race([stopped, new Promise<false>((resolve) => setTimeout(() => resolve(false), limitMs))]);
}

it('ends in time while progress cannot be noted', async () => {
  world = await openSenderWorld();
  const endpoint = await openEndpoint(answers.status(200));
  await world.webhook('wh_1', endpoint.url);
  const refused = fillUp([progressTopic.name]);
  await world.deliver('wh_1', [1]);
  world.start();
  await refused;
  expect(await stopWithin(GRACE_MS + 3_000)).toBe(true);
  await endpoint.close();
});

it('ends in time while what is over the bound at the start cannot be recorded', async () => {
  world = await openSenderWorld();
  await world.deliver('wh_1', numbers(5));
  const refused = fillUp(SENDER_TOPICS.map(({ name }) => name));
  world.start();
  await refused;
  expect(await stopWithin(GRACE_MS + 3_000)).toBe(true);
});
