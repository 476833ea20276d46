import { rmSync } from 'node:fs';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RegistryError } from '#infra/codec/confluent-registry';
import { type AppendRecord, LogError } from '#infra/log/log';
import { partitionOf } from '#schemas/topics/topic';
import { attemptTopic, DELIVERY_RETENTION_MS, deliveryTopic, progressTopic } from '#schemas/topics/webhooks';
import { type Answer, answers, type Endpoint, openEndpoint } from './endpoint.fixture.ts';
import { ATTEMPTS_PER_WEBHOOK } from './limits.ts';
import {
  deliveryOf,
  numbers,
  openSenderHarness,
  type SenderHarness,
  type SenderHarnessOptions,
  secretOf,
} from './sender.fixture.ts';
import { SENDER_TOPICS } from './sender.ts';
import { ENABLED_TOLERANCE_MS } from './target.ts';

let harness: SenderHarness;
const endpoints: Endpoint[] = [];

async function reopen(options: SenderHarnessOptions = {}) {
  const { path } = harness;
  await harness.close();
  harness = await openSenderHarness({ path, ...options });
}

async function endpoint(webhookId: string, answer: Answer): Promise<Endpoint> {
  const opened = await openEndpoint(answer);
  endpoints.push(opened);
  await harness.webhook(webhookId, opened.url);
  return opened;
}

/** Sets a clock forward. */
function passTime(ms: number, clock: { now(): number } = Date): void {
  const now = clock.now.bind(clock);
  vi.spyOn(clock, 'now').mockImplementation(() => now() + ms);
}

beforeEach(async () => {
  harness = await openSenderHarness();
});

afterEach(async () => {
  // Before the clocks are restored, since waits for a time would take long.
  await harness.close();
  vi.restoreAllMocks();
  for (const opened of endpoints.splice(0)) await opened.close();
  rmSync(harness.path, { recursive: true, force: true });
});

describe('a delivery', () => {
  it('is sent once with its exact body, signed so that a standard verifier accepts it', async () => {
    const { received } = await endpoint('wh_1', answers.status(200));
    harness.start();
    await harness.deliver('wh_1', [1]);
    const settled = await harness.settled(1);
    expect(settled.get('dlv_wh_1-1')).toMatchObject({ attempt: 1, status: 200, outcome: 'delivered', error: null });
    expect(received).toHaveLength(1);
    const [{ body, headers, id }] = received as [(typeof received)[number]];
    expect(body).toBe(deliveryOf('wh_1', 1, 0).body);
    expect(id).toBe('evt-wh_1-1');
    expect(headers['content-type']).toContain('application/cloudevents+json');
    expect(new Webhook(secretOf('A')).verify(body, headers as Record<string, string>)).toBeTruthy();
  });

  const failing: [string, Answer, object][] = [
    ['a reset', answers.reset, { error: 'reset' }],
    ['no answer', answers.silence, { error: 'timeout' }],
    ['an answer that comes too late', answers.slowly(2_000), { error: 'timeout' }],
    ['500', answers.status(500), { status: 500 }],
    ['a redirect', answers.status(302, { location: 'http://127.0.0.1/' }), { status: 302 }],
    ['429', answers.status(429), { status: 429 }],
  ];
  it.each(failing)('is retried after %s, with the same id and body', async (_, answer, first) => {
    const { received } = await endpoint('wh_1', answers.after(2, answer));
    harness.start();
    await harness.deliver('wh_1', [1]);
    expect((await harness.settled(1)).get('dlv_wh_1-1')).toMatchObject({ attempt: 3, outcome: 'delivered' });
    expect((await harness.attempts())[0]).toMatchObject({ attempt: 1, outcome: 'pending', ...first });
    expect(received).toHaveLength(3);
    expect(new Set(received.map(({ id, body }) => `${id} ${body}`)).size).toBe(1);
  });

  it('is sent once the schema registry is available again, at the start or later', async () => {
    const { received } = await endpoint('wh_1', answers.status(200));
    let failures = 3;
    const fetchSchema = async () => {
      if (failures > 0) {
        failures -= 1;
        throw new RegistryError('the registry is unavailable', true);
      }
    };
    await harness.deliver('wh_1', [1]);
    harness.start({ fetchSchema });
    await harness.settled(1);
    failures = 3;
    await harness.deliver('wh_1', [2]);
    expect((await harness.settled(2)).get('dlv_wh_1-2')).toMatchObject({ attempt: 1, outcome: 'delivered' });
    expect(received).toHaveLength(2);
    expect(failures).toBe(0);
    expect(harness.health.report()).toMatchObject({ status: 'ok', parts: { webhooks: 'ready' } });
  });

  it('waits as long as Retry-After says', async () => {
    const { received } = await endpoint('wh_1', answers.after(1, answers.status(429, { 'retry-after': '1' })));
    harness.start();
    await harness.deliver('wh_1', [1]);
    await harness.settled(1);
    expect(received[1]!.at - received[0]!.at).toBeGreaterThanOrEqual(990);
  });

  it('writes neither its URL, signature nor response to the log', async () => {
    await endpoint('wh_1', answers.status(410));
    harness.start();
    await harness.deliver('wh_1', [1]);
    await harness.settled(1);
    await harness.stop();
    const text = harness.logged.join('');
    expect(text).toContain('webhook disabled');
    for (const secret of ['hidden', 'v1,', 'whsec_', 'secret of the tenant']) expect(text).not.toContain(secret);
  });
});

describe('a webhook', () => {
  it('is disabled as gone by 410, and gets no more deliveries', async () => {
    const { received } = await endpoint('wh_1', answers.status(410));
    await harness.deliver('wh_1', numbers(50));
    harness.start();
    const settled = await harness.settled(50);
    expect(harness.control.state.webhooks.get('wh_1')).toMatchObject({ enabled: false, disabledReason: 'gone' });
    // Some of the first eight attempts were running when the first answer came.
    expect(received.length).toBeLessThanOrEqual(8);
    expect([...settled.values()].filter(({ error }) => error === 'webhook_disabled')).toHaveLength(
      50 - received.length,
    );
  });

  it('gets no delivery between the answer that disables it and the verdict', async () => {
    await reopen({ submitDelayMs: 700 });
    const gone = answers.status(410);
    const { received } = await endpoint('wh_1', (response, nth, all) =>
      all === 1 ? gone(response, nth, all) : answers.slowly(100)(response, nth, all),
    );
    await harness.deliver('wh_1', numbers(50));
    harness.start();
    await harness.settled(50);
    expect(received).toHaveLength(8);
  });

  it('is disabled as failing after the last attempt, and only then', async () => {
    const { received } = await endpoint('wh_1', answers.status(500));
    harness.start();
    await harness.deliver('wh_1', [1]);
    expect((await harness.settled(1)).get('dlv_wh_1-1')).toMatchObject({ attempt: 4, outcome: 'failed', status: 500 });
    expect(received).toHaveLength(4);
    expect(harness.control.state.webhooks.get('wh_1')).toMatchObject({ enabled: false, disabledReason: 'failing' });
  });

  it.each([
    ['disabled by its owner', 'webhook.change', { enabled: false }, 'webhook_disabled'],
    ['deleted', 'webhook.delete', {}, 'webhook_deleted'],
  ])('that is %s gets none of its waiting deliveries', async (_, type, body, error) => {
    const { received } = await endpoint('wh_1', answers.after(1, answers.status(503, { 'retry-after': '3600' })));
    harness.start();
    await harness.deliver('wh_1', numbers(20));
    while ((await harness.attempts()).length < 20) await new Promise((resolve) => setTimeout(resolve, 20));
    await harness.asAdmin(type, { webhookId: 'wh_1', ...body });
    const settled = await harness.settled(20);
    expect(new Set([...settled.values()].map((attempt) => attempt.error))).toEqual(new Set([error]));
    expect(received).toHaveLength(20);
  });

  it('that was disabled and enabled again while no sender ran gets new deliveries only', async () => {
    const { received } = await endpoint('wh_1', answers.status(200));
    await harness.deliver('wh_1', numbers(5));
    await harness.asAdmin('webhook.change', { webhookId: 'wh_1', enabled: false });
    passTime(2 * ENABLED_TOLERANCE_MS);
    await harness.asAdmin('webhook.change', { webhookId: 'wh_1', enabled: true });
    await harness.deliver('wh_1', numbers(3, 5));
    harness.start();
    await harness.settled(8);
    expect(received.map(({ id }) => id).sort()).toEqual(['evt-wh_1-5', 'evt-wh_1-6', 'evt-wh_1-7']);
  });

  it('that the state does not contain yet gets its deliveries once it does', async () => {
    await harness.close();
    harness = await openSenderHarness({ path: harness.path, settleAfterMs: 2_000 });
    const opened = await openEndpoint(answers.status(200));
    endpoints.push(opened);
    harness.start();
    await harness.deliver('wh_late', [1]);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await harness.webhook('wh_late', opened.url);
    expect((await harness.settled(1)).get('dlv_wh_late-1')).toMatchObject({ outcome: 'delivered', attempt: 1 });
  });

  it('has at most 8 attempts at a time, and bad webhooks do not delay others', async () => {
    // No attempt of the bad ones ends meanwhile, however slow the machine is.
    await reopen({ timeoutMs: 20_000 });
    const bad = await Promise.all([1, 2, 3].map((nth) => endpoint(`wh_bad${nth}`, answers.silence)));
    const good = await endpoint('wh_good', answers.status(204));
    for (const nth of [1, 2, 3]) await harness.deliver(`wh_bad${nth}`, numbers(100));
    await harness.deliver('wh_good', numbers(100));
    harness.start();
    while (good.received.length < 100) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(good.maxOpen).toBeLessThanOrEqual(8);
    for (const { maxOpen, received } of bad) expect([maxOpen, received.length]).toEqual([8, 8]);
  });
});

describe('a sender that has lost the lease', () => {
  /** Makes the log refuse records that only the lease holder may write. */
  function loseLease(topics: readonly { readonly name: string }[] = SENDER_TOPICS): void {
    const append = harness.log.append.bind(harness.log);
    const leaseTopics = new Set(topics.map(({ name }) => name));
    harness.log.append = async (records: readonly AppendRecord[]) => {
      if (records.some(({ topic }) => leaseTopics.has(topic)))
        throw new LogError('log_fenced', 'another process holds the lease');
      return append(records);
    };
  }

  it('sends at most once in each slot, however fast endpoints answer', async () => {
    const { received } = await endpoint('wh_1', answers.status(204));
    harness.start();
    await harness.deliver('wh_1', [0]);
    await harness.settled(1);
    // Only the topic of attempts refuses: progress may have been stored just before.
    loseLease([attemptTopic]);
    await harness.deliver('wh_1', numbers(200, 1));
    await harness.health.failure;
    await harness.stop();
    expect(received.length).toBeGreaterThan(1);
    expect(received.length).toBeLessThanOrEqual(1 + ATTEMPTS_PER_WEBHOOK);
  });

  it.each([
    ['the wall clock', () => passTime(10_000)],
    ['the monotonic clock alone', () => passTime(10_000, performance)],
  ])('sends nothing after a pause that shows on %s', async (_, pauseProcess) => {
    const { received } = await endpoint('wh_1', answers.after(1, answers.status(503, { 'retry-after': '3' })));
    harness.start();
    await harness.deliver('wh_1', numbers(20));
    // Waits until nothing is left to append before the next attempts, neither attempts nor progress.
    const progressAt = { topic: progressTopic.name, partition: partitionOf('wh_1', progressTopic.partitions) };
    while ((await harness.attempts()).length < 20 || !(await harness.log.last(progressAt)))
      await new Promise((resolve) => setTimeout(resolve, 20));
    pauseProcess();
    loseLease();
    await harness.health.failure;
    expect(received).toHaveLength(20);
  });

  it('disables no webhook after a last attempt that seemed to fail', async () => {
    await reopen({ schedule: '0' });
    await endpoint('wh_1', (response, nth, all) => {
      loseLease();
      answers.status(500)(response, nth, all);
    });
    harness.start();
    await harness.deliver('wh_1', [1]);
    await harness.health.failure;
    await harness.stop();
    expect(harness.control.state.webhooks.get('wh_1')).toMatchObject({ enabled: true, disabledReason: null });
  });
});

describe('a restart', () => {
  it('continues pending deliveries with their next attempts', async () => {
    const { received } = await endpoint('wh_1', answers.after(1, answers.status(500)));
    await reopen({ schedule: '0,2' });
    harness.start();
    await harness.deliver('wh_1', numbers(5));
    while ((await harness.attempts()).length < 5) await new Promise((resolve) => setTimeout(resolve, 20));
    await reopen({ schedule: '0,2' });
    harness.start();
    const settled = await harness.settled(5);
    expect([...settled.values()].map(({ attempt, outcome }) => `${attempt} ${outcome}`)).toEqual(
      Array.from({ length: 5 }, () => '2 delivered'),
    );
    expect(received).toHaveLength(10);
  });

  it('works if the log returns a watermark before the records', async () => {
    // Kafka behaves like this: a watermark is available at once, while records are still being fetched.
    const open = harness.log.reader.bind(harness.log);
    harness.log.reader = async (from) => {
      const reader = await open(from);
      const poll = reader.poll.bind(reader);
      let polls = 0;
      reader.poll = async (...args) => (++polls <= 2 ? { records: [], watermarks: [] } : poll(...args));
      return reader;
    };
    const { received } = await endpoint('wh_1', answers.status(200));
    await harness.deliver('wh_1', numbers(100));
    harness.start();
    const settled = await harness.settled(100);
    expect([...settled.values()].every(({ outcome, attempt }) => outcome === 'delivered' && attempt === 1)).toBe(true);
    expect(received).toHaveLength(100);
  });

  it('stores the first delivery that is not settled as its start', async () => {
    await endpoint('wh_1', answers.status(200));
    harness.start();
    await harness.deliver('wh_1', numbers(300));
    await harness.settled(300);
    await harness.stop();
    const at = { topic: progressTopic.name, partition: partitionOf('wh_1', progressTopic.partitions) };
    const stored = await harness.log.last(at);
    expect(harness.codec.decode(progressTopic, stored!.value!).offset).toBe(299);
  });

  it('sends nothing twice after the deliveries were rewritten', async () => {
    const { received } = await endpoint('wh_1', answers.status(200));
    harness.start();
    await harness.deliver('wh_1', numbers(10));
    await harness.settled(10);
    await harness.log.clearTopic(deliveryTopic.name);
    await harness.deliver('wh_1', numbers(12));
    await harness.settled(12);
    await reopen();
    harness.start();
    await harness.deliver('wh_1', [12]);
    await harness.settled(13);
    expect(received.map(({ id }) => id)).toEqual([...new Set(received.map(({ id }) => id))]);
    expect(received).toHaveLength(13);
  });

  it('sends nothing twice while a rebuild is running', async () => {
    const { received } = await endpoint('wh_1', answers.status(200));
    harness.start();
    await harness.deliver('wh_1', numbers(10));
    await harness.settled(10);
    await harness.stop();
    await harness.log.clearTopic(deliveryTopic.name);
    harness.start();
    await new Promise((resolve) => setTimeout(resolve, 300));
    await harness.deliver('wh_1', numbers(6));
    await harness.deliver('wh_1', numbers(5, 6));
    await harness.settled(11);
    expect(received).toHaveLength(11);
  });

  it('sends no delivery twice whose event time is ahead of the clock', async () => {
    const { received } = await endpoint('wh_1', answers.status(200));
    harness.start();
    await harness.deliver('wh_1', numbers(3), Date.now() + 3_600_000);
    await harness.settled(3);
    await reopen();
    harness.start();
    await harness.deliver('wh_1', [3], Date.now() + 3_600_000);
    await harness.settled(4);
    expect(received).toHaveLength(4);
  });

  it.each([
    ['at once', false],
    ['in parts', true],
  ])('sends no rebuilt delivery twice, %s, after retention removed its attempts', async (_, isRunning) => {
    const { received } = await endpoint('wh_1', answers.status(200));
    const createdAt = Date.now();
    harness.start();
    await harness.deliver('wh_1', numbers(10), createdAt);
    await harness.settled(10);
    await harness.stop();
    passTime(DELIVERY_RETENTION_MS + 60_000);
    harness.start();
    await harness.deliver('wh_1', [10]);
    while (received.length < 11) await new Promise((resolve) => setTimeout(resolve, 20));
    await harness.stop();
    await harness.log.maintain(Date.now(), { rawMaxAgeMs: Number.POSITIVE_INFINITY, rawMaxBytes: 2 ** 40 });
    expect((await harness.attempts()).length).toBe(1);
    await harness.log.clearTopic(deliveryTopic.name);
    if (isRunning) {
      harness.start();
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    await harness.deliver('wh_1', numbers(10), createdAt);
    await harness.deliver('wh_1', [10, 11]);
    if (!isRunning) harness.start();
    await harness.settled(2);
    // Attempts run concurrently, so in any order.
    expect(received.map(({ id }) => id).sort()).toEqual(
      numbers(12)
        .map((number) => `evt-wh_1-${number}`)
        .sort(),
    );
  });

  it('sends new deliveries of a recording of years ago after retention removed attempts', async () => {
    const { received } = await endpoint('wh_1', answers.status(200));
    const longAgo = Date.now() - 3 * 12 * DELIVERY_RETENTION_MS;
    harness.start();
    await harness.deliver('wh_1', numbers(2), longAgo);
    await harness.settled(2);
    passTime(DELIVERY_RETENTION_MS + 60_000);
    await harness.deliver('wh_1', [2], longAgo);
    while (received.length < 3) await new Promise((resolve) => setTimeout(resolve, 20));
    await harness.stop();
    await harness.log.maintain(Date.now(), { rawMaxAgeMs: Number.POSITIVE_INFINITY, rawMaxBytes: 2 ** 40 });
    await harness.deliver('wh_1', [3, 4], longAgo);
    harness.start();
    while (received.length < 5) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(
      received
        .map(({ id }) => id)
        .slice(3)
        .sort(),
    ).toEqual(['evt-wh_1-3', 'evt-wh_1-4']);
  });

  it('waits for running attempts first', async () => {
    const { received } = await endpoint('wh_1', answers.slowly(300));
    harness.start();
    await harness.deliver('wh_1', [1]);
    while (received.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    await harness.stop();
    expect(await harness.attempts()).toMatchObject([{ outcome: 'delivered' }]);
  });
});
