import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { attemptTopic } from '#schemas/topics/webhooks';
import { answers } from './endpoint.fixture.ts';
import type * as limits from './limits.ts';
import { numbers } from './sender.fixture.ts';
import { endpoint, sender } from './sender-of-test.fixture.ts';

const BATCH = 5;
vi.mock('./limits.ts', async (original) => ({ ...(await original<typeof limits>()), CANCEL_BATCH: 5 }));

const pendingGauge = async () => (await sender.metrics.webhooksPending.get()).values[0]?.value;

it('deliveries of a disabled webhook are finished batch by batch, and those of others are read in between', async () => {
  await endpoint('wh_1', answers.after(1, answers.status(503, { 'retry-after': '3600' })));
  const other = await endpoint('wh_2', answers.status(200));
  sender.start();
  await sender.deliver('wh_1', numbers(20));
  while ((await sender.attempts()).length < 20) await sleep(20);
  const append = sender.log.append.bind(sender.log);
  const pending: (number | undefined)[] = [];
  sender.log.append = async (records) => {
    const unsent = records.filter(({ topic, value }) => {
      if (topic !== attemptTopic.name) return false;
      return sender.codec.decode(attemptTopic, value!).error === 'webhook_disabled';
    });
    if (unsent.length > 0) {
      expect(unsent.length).toBeLessThanOrEqual(BATCH);
      pending.push(await pendingGauge());
      if (pending.length === 1) await sender.deliver('wh_2', [1]);
      // Only a delivery that was read between two batches is sent before the second one.
      else while (other.received.length === 0) await sleep(5);
    }
    return append(records);
  };
  await sender.asAdmin('webhook.change', { webhookId: 'wh_1', enabled: false });
  const finished = await sender.finished(21);
  expect([...finished.values()].filter(({ error }) => error === 'webhook_disabled')).toHaveLength(20);
  expect(other.received).toHaveLength(1);
  expect(pending).toHaveLength(4);
  expect(pending[0]).toBe(20);
  expect(pending[3]).toBeGreaterThanOrEqual(BATCH);
});
