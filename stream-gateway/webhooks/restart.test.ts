import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { DELIVERY_RETENTION_MS, deliveryTopic, progressTopic } from '#schemas/topics/webhooks';
import { answers } from './endpoint.fixture.ts';
import { numbers } from './sender.fixture.ts';
import { endpoint, idsOf, PROGRESS, passTime, reopen, sender } from './sender-of-test.fixture.ts';

describe('a restart', () => {
  const removeOldAttempts = () =>
    sender.log.maintain(Date.now(), { rawMaxAgeMs: Number.POSITIVE_INFINITY, rawMaxBytes: 2 ** 40 });

  it('continues pending deliveries with their next attempts', async () => {
    const { received } = await endpoint('wh_1', answers.after(1, answers.status(500)));
    await reopen({ schedule: '0,2' });
    sender.start();
    await sender.deliver('wh_1', numbers(5));
    while ((await sender.attempts()).length < 5) await sleep(20);
    await reopen({ schedule: '0,2' });
    sender.start();
    const finished = await sender.finished(5);
    expect([...finished.values()].map(({ attempt, outcome }) => `${attempt} ${outcome}`)).toEqual(
      Array.from({ length: 5 }, () => '2 delivered'),
    );
    expect(received).toHaveLength(10);
  });

  it('works if the log returns a watermark before the records', async () => {
    // Kafka behaves like this: a watermark is available at once, while records are still being fetched.
    const open = sender.log.reader.bind(sender.log);
    sender.log.reader = async (from) => {
      const reader = await open(from);
      const poll = reader.poll.bind(reader);
      let polls = 0;
      reader.poll = async (...args) => (++polls <= 2 ? { records: [], watermarks: [] } : poll(...args));
      return reader;
    };
    const { received } = await endpoint('wh_1', answers.status(200));
    await sender.deliver('wh_1', numbers(100));
    sender.start();
    const finished = await sender.finished(100);
    expect([...finished.values()].every(({ outcome, attempt }) => outcome === 'delivered' && attempt === 1)).toBe(true);
    expect(received).toHaveLength(100);
  });

  it('stores the first delivery that is not finished as its start', async () => {
    await endpoint('wh_1', answers.status(200));
    sender.start();
    await sender.deliver('wh_1', numbers(300));
    await sender.finished(300);
    await sender.stop();
    const stored = await sender.log.last(PROGRESS);
    expect(sender.codec.decode(progressTopic, stored!.value!).offset).toBe(299);
  });

  it('sends nothing twice after the deliveries were rewritten', async () => {
    const { received } = await endpoint('wh_1', answers.status(200));
    sender.start();
    await sender.deliver('wh_1', numbers(10));
    await sender.finished(10);
    await sender.log.clearTopic(deliveryTopic.name);
    await sender.deliver('wh_1', numbers(12));
    await sender.finished(12);
    await reopen();
    sender.start();
    await sender.deliver('wh_1', [12]);
    await sender.finished(13);
    expect(received.map(({ id }) => id)).toEqual([...new Set(received.map(({ id }) => id))]);
    expect(received).toHaveLength(13);
  });

  it('sends nothing twice while a rebuild is running', async () => {
    const { received } = await endpoint('wh_1', answers.status(200));
    sender.start();
    await sender.deliver('wh_1', numbers(10));
    await sender.finished(10);
    await sender.stop();
    await sender.log.clearTopic(deliveryTopic.name);
    sender.start();
    await sleep(300);
    await sender.deliver('wh_1', numbers(6));
    await sender.deliver('wh_1', numbers(5, 6));
    await sender.finished(11);
    expect(received).toHaveLength(11);
  });

  it('sends no delivery twice whose event time is ahead of the clock', async () => {
    const { received } = await endpoint('wh_1', answers.status(200));
    sender.start();
    await sender.deliver('wh_1', numbers(3), Date.now() + 3_600_000);
    await sender.finished(3);
    await reopen();
    sender.start();
    await sender.deliver('wh_1', [3], Date.now() + 3_600_000);
    await sender.finished(4);
    expect(received).toHaveLength(4);
  });

  it.each([
    ['at once', false],
    ['in parts', true],
  ])('sends no rebuilt delivery twice, %s, after retention removed its attempts', async (_, isRunning) => {
    const { received } = await endpoint('wh_1', answers.status(200));
    const createdAt = Date.now();
    sender.start();
    await sender.deliver('wh_1', numbers(10), createdAt);
    await sender.finished(10);
    await sender.stop();
    passTime(DELIVERY_RETENTION_MS + 60_000);
    sender.start();
    await sender.deliver('wh_1', [10]);
    while (received.length < 11) await sleep(20);
    await sender.stop();
    await removeOldAttempts();
    expect((await sender.attempts()).length).toBe(1);
    await sender.log.clearTopic(deliveryTopic.name);
    if (isRunning) {
      sender.start();
      await sleep(300);
    }
    await sender.deliver('wh_1', numbers(10), createdAt);
    await sender.deliver('wh_1', [10, 11]);
    if (!isRunning) sender.start();
    await sender.finished(2);
    // Attempts run concurrently, so in any order.
    expect(idsOf(received)).toEqual(
      numbers(12)
        .map((number) => `evt-wh_1-${number}`)
        .sort(),
    );
  });

  it('sends new deliveries of a recording of years ago after retention removed attempts', async () => {
    const { received } = await endpoint('wh_1', answers.status(200));
    const longAgo = Date.now() - 3 * 12 * DELIVERY_RETENTION_MS;
    sender.start();
    await sender.deliver('wh_1', numbers(2), longAgo);
    await sender.finished(2);
    passTime(DELIVERY_RETENTION_MS + 60_000);
    await sender.deliver('wh_1', [2], longAgo);
    while (received.length < 3) await sleep(20);
    await sender.stop();
    await removeOldAttempts();
    await sender.deliver('wh_1', [3, 4], longAgo);
    sender.start();
    while (received.length < 5) await sleep(20);
    expect(idsOf(received.slice(3))).toEqual(['evt-wh_1-3', 'evt-wh_1-4']);
  });

  it('waits for running attempts first', async () => {
    const { received } = await endpoint('wh_1', answers.slowly(300));
    sender.start();
    await sender.deliver('wh_1', [1]);
    while (received.length === 0) await sleep(10);
    await sender.stop();
    expect(await sender.attempts()).toMatchObject([{ outcome: 'delivered' }]);
  });
});
