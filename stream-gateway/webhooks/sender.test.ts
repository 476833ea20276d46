import { rmSync } from 'node:fs';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RegistryError } from '#infra/codec/confluent-registry';
import { type AppendRecord, LogError } from '#infra/log/log';
import { partitionOf } from '#schemas/topics/topic';
import { attemptTopic, DELIVERIES_KEPT_MS, deliveryTopic, progressTopic } from '#schemas/topics/webhooks';
import { type Answer, answers, type Endpoint, openEndpoint } from './endpoint.fixture.ts';
import { ATTEMPTS_PER_WEBHOOK } from './limits.ts';
import {
  deliveryOf,
  numbers,
  openSenderWorld,
  type SenderWorld,
  type SenderWorldOptions,
  secretOf,
} from './sender.fixture.ts';
import { SENDER_TOPICS } from './sender.ts';
import { ENABLED_TOLERANCE_MS } from './target.ts';

let world: SenderWorld;
const endpoints: Endpoint[] = [];

async function reopen(options: SenderWorldOptions = {}) {
  const { path } = world;
  await world.close();
  world = await openSenderWorld({ path, ...options });
}

async function endpoint(webhookId: string, answer: Answer): Promise<Endpoint> {
  const opened = await openEndpoint(answer);
  endpoints.push(opened);
  await world.webhook(webhookId, opened.url);
  return opened;
}

/** Sets a clock forward. */
function passTime(ms: number, clock: { now(): number } = Date): void {
  const now = clock.now.bind(clock);
  vi.spyOn(clock, 'now').mockImplementation(() => now() + ms);
}

beforeEach(async () => {
  world = await openSenderWorld();
});

afterEach(async () => {
  // Before clocks go back: what waits for a time would wait for long.
  await world.close();
  vi.restoreAllMocks();
  for (const opened of endpoints.splice(0)) await opened.close();
  rmSync(world.path, { recursive: true, force: true });
});

describe('a delivery', () => {
  it('is sent once with its bytes, signed so that a stock verifier takes it', async () => {
    const { received } = await endpoint('wh_1', answers.status(200));
    world.start();
    await world.deliver('wh_1', [1]);
    const settled = await world.settled(1);
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
    ['silence', answers.silence, { error: 'timeout' }],
    ['an answer that comes too late', answers.slowly(2_000), { error: 'timeout' }],
    ['500', answers.status(500), { status: 500 }],
    ['a redirect', answers.status(302, { location: 'http://127.0.0.1/' }), { status: 302 }],
    ['429', answers.status(429), { status: 429 }],
  ];
  it.each(failing)('is tried again after %s, with the same id and bytes', async (_, answer, first) => {
    const { received } = await endpoint('wh_1', answers.after(2, answer));
    world.start();
    await world.deliver('wh_1', [1]);
    expect((await world.settled(1)).get('dlv_wh_1-1')).toMatchObject({ attempt: 3, outcome: 'delivered' });
    expect((await world.attempts())[0]).toMatchObject({ attempt: 1, outcome: 'pending', ...first });
    expect(received).toHaveLength(3);
    expect(new Set(received.map(({ id, body }) => `${id} ${body}`)).size).toBe(1);
  });

  it('is sent after all when the schema registry is away, at the start or later', async () => {
    const { received } = await endpoint('wh_1', answers.status(200));
    let failures = 3;
    const learn = async () => {
      if (failures > 0) {
        failures -= 1;
        throw new RegistryError('the registry is away', true);
      }
    };
    await world.deliver('wh_1', [1]);
    world.start({ learn });
    await world.settled(1);
    failures = 3;
    await world.deliver('wh_1', [2]);
    expect((await world.settled(2)).get('dlv_wh_1-2')).toMatchObject({ attempt: 1, outcome: 'delivered' });
    expect(received).toHaveLength(2);
    expect(failures).toBe(0);
    expect(world.health.report()).toMatchObject({ status: 'ok', parts: { webhooks: 'ready' } });
  });

  it('waits as long as Retry-After says', async () => {
    const { received } = await endpoint('wh_1', answers.after(1, answers.status(429, { 'retry-after': '1' })));
    world.start();
    await world.deliver('wh_1', [1]);
    await world.settled(1);
    expect(received[1]!.at - received[0]!.at).toBeGreaterThanOrEqual(990);
  });

  it('says in no log line where it went, how it was signed or what came back', async () => {
    await endpoint('wh_1', answers.status(410));
    world.start();
    await world.deliver('wh_1', [1]);
    await world.settled(1);
    await world.stop();
    const text = world.logged.join('');
    expect(text).toContain('webhook disabled');
    for (const secret of ['hidden', 'v1,', 'whsec_', 'secret of the tenant']) expect(text).not.toContain(secret);
  });
});

describe('a webhook', () => {
  it('is disabled as gone by 410, and gets nothing more', async () => {
    const { received } = await endpoint('wh_1', answers.status(410));
    await world.deliver('wh_1', numbers(50));
    world.start();
    const settled = await world.settled(50);
    expect(world.control.state.webhooks.get('wh_1')).toMatchObject({ enabled: false, disabledReason: 'gone' });
    // Those of the first eight that were under way when the first answer came.
    expect(received.length).toBeLessThanOrEqual(8);
    expect([...settled.values()].filter(({ error }) => error === 'webhook_disabled')).toHaveLength(
      50 - received.length,
    );
  });

  it('gets nothing between the answer that disables it and the verdict', async () => {
    await reopen({ submitDelayMs: 700 });
    const gone = answers.status(410);
    const { received } = await endpoint('wh_1', (response, nth, all) =>
      all === 1 ? gone(response, nth, all) : answers.slowly(100)(response, nth, all),
    );
    await world.deliver('wh_1', numbers(50));
    world.start();
    await world.settled(50);
    expect(received).toHaveLength(8);
  });

  it('is disabled as failing after the last attempt, and only then', async () => {
    const { received } = await endpoint('wh_1', answers.status(500));
    world.start();
    await world.deliver('wh_1', [1]);
    expect((await world.settled(1)).get('dlv_wh_1-1')).toMatchObject({ attempt: 4, outcome: 'failed', status: 500 });
    expect(received).toHaveLength(4);
    expect(world.control.state.webhooks.get('wh_1')).toMatchObject({ enabled: false, disabledReason: 'failing' });
  });

  it.each([
    ['disabled by its owner', 'webhook.change', { enabled: false }, 'webhook_disabled'],
    ['deleted', 'webhook.delete', {}, 'webhook_deleted'],
  ])('that is %s gets nothing that waits', async (_, type, body, error) => {
    const { received } = await endpoint('wh_1', answers.after(1, answers.status(503, { 'retry-after': '3600' })));
    world.start();
    await world.deliver('wh_1', numbers(20));
    while ((await world.attempts()).length < 20) await new Promise((resolve) => setTimeout(resolve, 20));
    await world.asAdmin(type, { webhookId: 'wh_1', ...body });
    const settled = await world.settled(20);
    expect(new Set([...settled.values()].map((attempt) => attempt.error))).toEqual(new Set([error]));
    expect(received).toHaveLength(20);
  });

  it('that was disabled and enabled again while nobody sent gets new deliveries only', async () => {
    const { received } = await endpoint('wh_1', answers.status(200));
    await world.deliver('wh_1', numbers(5));
    await world.asAdmin('webhook.change', { webhookId: 'wh_1', enabled: false });
    passTime(2 * ENABLED_TOLERANCE_MS);
    await world.asAdmin('webhook.change', { webhookId: 'wh_1', enabled: true });
    await world.deliver('wh_1', numbers(3, 5));
    world.start();
    await world.settled(8);
    expect(received.map(({ id }) => id).sort()).toEqual(['evt-wh_1-5', 'evt-wh_1-6', 'evt-wh_1-7']);
  });

  it('whose making the state does not know yet gets its deliveries once it does', async () => {
    await world.close();
    world = await openSenderWorld({ path: world.path, settleAfterMs: 2_000 });
    const opened = await openEndpoint(answers.status(200));
    endpoints.push(opened);
    world.start();
    await world.deliver('wh_late', [1]);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await world.webhook('wh_late', opened.url);
    expect((await world.settled(1)).get('dlv_wh_late-1')).toMatchObject({ outcome: 'delivered', attempt: 1 });
  });

  it('has at most 8 attempts at a time, and bad ones delay no other', async () => {
    // None of the bad ones comes to an end meanwhile, however slow the machine is.
    await reopen({ timeoutMs: 20_000 });
    const bad = await Promise.all([1, 2, 3].map((nth) => endpoint(`wh_bad${nth}`, answers.silence)));
    const good = await endpoint('wh_good', answers.status(204));
    for (const nth of [1, 2, 3]) await world.deliver(`wh_bad${nth}`, numbers(100));
    await world.deliver('wh_good', numbers(100));
    world.start();
    while (good.received.length < 100) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(good.openMost).toBeLessThanOrEqual(8);
    for (const { openMost, received } of bad) expect([openMost, received.length]).toEqual([8, 8]);
  });
});

describe('who has lost the lease', () => {
  /** From now on the log refuses what only the holder may write. */
  function loseLease(topics: readonly { readonly name: string }[] = SENDER_TOPICS): void {
    const append = world.log.append.bind(world.log);
    const ofHolder = new Set(topics.map(({ name }) => name));
    world.log.append = async (records: readonly AppendRecord[]) => {
      if (records.some(({ topic }) => ofHolder.has(topic))) throw new LogError('log_fenced', 'another one has it');
      return append(records);
    };
  }

  it('sends once in each slot at most, however soon endpoints answer', async () => {
    const { received } = await endpoint('wh_1', answers.status(204));
    world.start();
    await world.deliver('wh_1', [0]);
    await world.settled(1);
    // Only the attempts themselves tell: how far it is may have been noted just before.
    loseLease([attemptTopic]);
    await world.deliver('wh_1', numbers(200, 1));
    await world.health.failure;
    await world.stop();
    expect(received.length).toBeGreaterThan(1);
    expect(received.length).toBeLessThanOrEqual(1 + ATTEMPTS_PER_WEBHOOK);
  });

  it.each([
    ['the wall clock', () => passTime(10_000)],
    ['the other one alone', () => passTime(10_000, performance)],
  ])('sends nothing after a time away by %s', async (_, goAway) => {
    const { received } = await endpoint('wh_1', answers.after(1, answers.status(503, { 'retry-after': '3' })));
    world.start();
    await world.deliver('wh_1', numbers(20));
    // Until there is nothing to record before the next attempts, neither of them nor of how far it is.
    const progressAt = { topic: progressTopic.name, partition: partitionOf('wh_1', progressTopic.partitions) };
    while ((await world.attempts()).length < 20 || !(await world.log.last(progressAt)))
      await new Promise((resolve) => setTimeout(resolve, 20));
    goAway();
    loseLease();
    await world.health.failure;
    expect(received).toHaveLength(20);
  });

  it('disables no webhook for a last attempt that seemed to fail', async () => {
    await reopen({ schedule: '0' });
    await endpoint('wh_1', (response, nth, all) => {
      loseLease();
      answers.status(500)(response, nth, all);
    });
    world.start();
    await world.deliver('wh_1', [1]);
    await world.health.failure;
    await world.stop();
    expect(world.control.state.webhooks.get('wh_1')).toMatchObject({ enabled: true, disabledReason: null });
  });
});

describe('a restart', () => {
  it('goes on with what is pending, where it stood', async () => {
    const { received } = await endpoint('wh_1', answers.after(1, answers.status(500)));
    await reopen({ schedule: '0,2' });
    world.start();
    await world.deliver('wh_1', numbers(5));
    while ((await world.attempts()).length < 5) await new Promise((resolve) => setTimeout(resolve, 20));
    await reopen({ schedule: '0,2' });
    world.start();
    const settled = await world.settled(5);
    expect([...settled.values()].map(({ attempt, outcome }) => `${attempt} ${outcome}`)).toEqual(
      Array.from({ length: 5 }, () => '2 delivered'),
    );
    expect(received).toHaveLength(10);
  });

  it('goes on when the log gives a promise before the records', async () => {
    // As Kafka does: a promise is at hand at once, while records are still being fetched.
    const open = world.log.reader.bind(world.log);
    world.log.reader = async (from) => {
      const reader = await open(from);
      const poll = reader.poll.bind(reader);
      let polls = 0;
      reader.poll = async (...args) => (++polls <= 2 ? { records: [], watermarks: [] } : poll(...args));
      return reader;
    };
    const { received } = await endpoint('wh_1', answers.status(200));
    await world.deliver('wh_1', numbers(100));
    world.start();
    const settled = await world.settled(100);
    expect([...settled.values()].every(({ outcome, attempt }) => outcome === 'delivered' && attempt === 1)).toBe(true);
    expect(received).toHaveLength(100);
  });

  it('begins at the first delivery that is not settled', async () => {
    await endpoint('wh_1', answers.status(200));
    world.start();
    await world.deliver('wh_1', numbers(300));
    await world.settled(300);
    await world.stop();
    const at = { topic: progressTopic.name, partition: partitionOf('wh_1', progressTopic.partitions) };
    const noted = await world.log.last(at);
    expect(world.codec.decode(progressTopic, noted!.value!).offset).toBe(299);
  });

  it('sends nothing again when the deliveries were written anew', async () => {
    const { received } = await endpoint('wh_1', answers.status(200));
    world.start();
    await world.deliver('wh_1', numbers(10));
    await world.settled(10);
    await world.log.clearTopic(deliveryTopic.name);
    await world.deliver('wh_1', numbers(12));
    await world.settled(12);
    await reopen();
    world.start();
    await world.deliver('wh_1', [12]);
    await world.settled(13);
    expect(received.map(({ id }) => id)).toEqual([...new Set(received.map(({ id }) => id))]);
    expect(received).toHaveLength(13);
  });

  it('sends nothing again while a rebuild goes on', async () => {
    const { received } = await endpoint('wh_1', answers.status(200));
    world.start();
    await world.deliver('wh_1', numbers(10));
    await world.settled(10);
    await world.stop();
    await world.log.clearTopic(deliveryTopic.name);
    world.start();
    await new Promise((resolve) => setTimeout(resolve, 300));
    await world.deliver('wh_1', numbers(6));
    await world.deliver('wh_1', numbers(5, 6));
    await world.settled(11);
    expect(received).toHaveLength(11);
  });

  it('sends nothing again whose event time is ahead of the clock', async () => {
    const { received } = await endpoint('wh_1', answers.status(200));
    world.start();
    await world.deliver('wh_1', numbers(3), Date.now() + 3_600_000);
    await world.settled(3);
    await reopen();
    world.start();
    await world.deliver('wh_1', [3], Date.now() + 3_600_000);
    await world.settled(4);
    expect(received).toHaveLength(4);
  });

  it.each([
    ['at once', false],
    ['bit by bit', true],
  ])('sends nothing again that a rebuild makes anew, %s, after its attempts are forgotten', async (_, isRunning) => {
    const { received } = await endpoint('wh_1', answers.status(200));
    const madeAt = Date.now();
    world.start();
    await world.deliver('wh_1', numbers(10), madeAt);
    await world.settled(10);
    await world.stop();
    passTime(DELIVERIES_KEPT_MS + 60_000);
    world.start();
    await world.deliver('wh_1', [10]);
    while (received.length < 11) await new Promise((resolve) => setTimeout(resolve, 20));
    await world.stop();
    await world.log.maintain(Date.now(), { rawMaxAgeMs: Number.POSITIVE_INFINITY, rawMaxBytes: 2 ** 40 });
    expect((await world.attempts()).length).toBe(1);
    await world.log.clearTopic(deliveryTopic.name);
    if (isRunning) {
      world.start();
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    await world.deliver('wh_1', numbers(10), madeAt);
    await world.deliver('wh_1', [10, 11]);
    if (!isRunning) world.start();
    await world.settled(2);
    // Attempts go side by side, so in any order.
    expect(received.map(({ id }) => id).sort()).toEqual(
      numbers(12)
        .map((number) => `evt-wh_1-${number}`)
        .sort(),
    );
  });

  it('sends what is new of a recording of years ago, though attempts were forgotten', async () => {
    const { received } = await endpoint('wh_1', answers.status(200));
    const longAgo = Date.now() - 3 * 12 * DELIVERIES_KEPT_MS;
    world.start();
    await world.deliver('wh_1', numbers(2), longAgo);
    await world.settled(2);
    passTime(DELIVERIES_KEPT_MS + 60_000);
    await world.deliver('wh_1', [2], longAgo);
    while (received.length < 3) await new Promise((resolve) => setTimeout(resolve, 20));
    await world.stop();
    await world.log.maintain(Date.now(), { rawMaxAgeMs: Number.POSITIVE_INFINITY, rawMaxBytes: 2 ** 40 });
    await world.deliver('wh_1', [3, 4], longAgo);
    world.start();
    while (received.length < 5) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(
      received
        .map(({ id }) => id)
        .slice(3)
        .sort(),
    ).toEqual(['evt-wh_1-3', 'evt-wh_1-4']);
  });

  it('lets attempts under way end first', async () => {
    const { received } = await endpoint('wh_1', answers.slowly(300));
    world.start();
    await world.deliver('wh_1', [1]);
    while (received.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    await world.stop();
    expect(await world.attempts()).toMatchObject([{ outcome: 'delivered' }]);
  });
});
