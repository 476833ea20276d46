import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it, onTestFinished } from 'vitest';
import { RegistryError } from '#infra/codec/confluent-registry';
import { type AppendRecord, LogError } from '#infra/log/log';
import { attemptTopic } from '#schemas/topics/webhooks';
import { type Answer, answers, openEndpoint } from './endpoint.fixture.ts';
import { ATTEMPTS_PER_WEBHOOK } from './limits.ts';
import { deliveryOf, numbers, secretOf } from './sender.fixture.ts';
import { SENDER_TOPICS } from './sender.ts';
import { endpoint, idsOf, PROGRESS, passTime, reopen, sender } from './sender-of-test.fixture.ts';
import { ENABLED_TOLERANCE_MS } from './target.ts';

describe('a delivery', () => {
  it('is sent once with its exact body, signed so that a standard verifier accepts it', async () => {
    const { received } = await endpoint('wh_1', answers.status(200));
    sender.start();
    await sender.deliver('wh_1', [1]);
    const finished = await sender.finished(1);
    expect(finished.get('dlv_wh_1-1')).toMatchObject({ attempt: 1, status: 200, outcome: 'delivered', error: null });
    expect(received).toHaveLength(1);
    const [{ body, headers, id }] = received as [(typeof received)[number]];
    expect(body).toBe(deliveryOf('wh_1', 1, 0).body);
    expect(id).toBe('evt-wh_1-1');
    expect(headers['content-type']).toContain('application/cloudevents+json');
    expect(new Webhook(secretOf('A')).verify(body, headers as Record<string, string>)).toBeTruthy();
    expect(finished.get('dlv_wh_1-1')!.signature).toBe(headers['webhook-signature']);
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
    if ('error' in first && first.error === 'timeout') await reopen({ timeoutMs: 1_000 });
    const { received } = await endpoint('wh_1', answers.after(2, answer));
    sender.start();
    await sender.deliver('wh_1', [1]);
    expect((await sender.finished(1)).get('dlv_wh_1-1')).toMatchObject({ attempt: 3, outcome: 'delivered' });
    expect((await sender.attempts())[0]).toMatchObject({ attempt: 1, outcome: 'pending', ...first });
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
    await sender.deliver('wh_1', [1]);
    sender.start({ fetchSchema });
    await sender.finished(1);
    failures = 3;
    await sender.deliver('wh_1', [2]);
    expect((await sender.finished(2)).get('dlv_wh_1-2')).toMatchObject({ attempt: 1, outcome: 'delivered' });
    expect(received).toHaveLength(2);
    expect(failures).toBe(0);
    expect(sender.health.report()).toMatchObject({ status: 'ok', parts: { webhooks: 'ready' } });
  });

  it('waits as long as Retry-After says', async () => {
    const { received } = await endpoint('wh_1', answers.after(1, answers.status(429, { 'retry-after': '1' })));
    sender.start();
    await sender.deliver('wh_1', [1]);
    await sender.finished(1);
    expect(received[1]!.at - received[0]!.at).toBeGreaterThanOrEqual(990);
  });

  it('writes neither its URL, signature nor response to the log', async () => {
    await endpoint('wh_1', answers.status(410));
    sender.start();
    await sender.deliver('wh_1', [1]);
    await sender.finished(1);
    await sender.stop();
    const text = sender.logged.join('');
    expect(text).toContain('webhook disabled');
    for (const secret of ['hidden', 'v1,', 'whsec_', 'secret of the tenant']) expect(text).not.toContain(secret);
  });
});

describe('a webhook', () => {
  it('is disabled as gone by 410, and gets no more deliveries', async () => {
    const { received } = await endpoint('wh_1', answers.status(410));
    await sender.deliver('wh_1', numbers(50));
    sender.start();
    const finished = await sender.finished(50);
    expect(sender.control.state.webhooks.get('wh_1')).toMatchObject({ enabled: false, disabledReason: 'gone' });
    // Some of the first eight attempts were running when the first answer came.
    expect(received.length).toBeLessThanOrEqual(8);
    expect([...finished.values()].filter(({ error }) => error === 'webhook_disabled')).toHaveLength(
      50 - received.length,
    );
  });

  it('gets no delivery between the answer that disables it and the verdict', async () => {
    await reopen({ submitDelayMs: 700 });
    const gone = answers.status(410);
    const { received } = await endpoint('wh_1', (response, nth, all) =>
      all === 1 ? gone(response, nth, all) : answers.slowly(100)(response, nth, all),
    );
    await sender.deliver('wh_1', numbers(50));
    sender.start();
    await sender.finished(50);
    expect(received).toHaveLength(8);
  });

  it('is disabled as failing after the last attempt, and only then', async () => {
    const { received } = await endpoint('wh_1', answers.status(500));
    sender.start();
    await sender.deliver('wh_1', [1]);
    expect((await sender.finished(1)).get('dlv_wh_1-1')).toMatchObject({ attempt: 4, outcome: 'failed', status: 500 });
    expect(received).toHaveLength(4);
    expect(sender.control.state.webhooks.get('wh_1')).toMatchObject({ enabled: false, disabledReason: 'failing' });
  });

  it.each([
    ['disabled by its owner', 'webhook.change', { enabled: false }, 'webhook_disabled'],
    ['deleted', 'webhook.delete', {}, 'webhook_deleted'],
  ])('that is %s gets none of its waiting deliveries', async (_, type, body, error) => {
    const { received } = await endpoint('wh_1', answers.after(1, answers.status(503, { 'retry-after': '3600' })));
    sender.start();
    await sender.deliver('wh_1', numbers(20));
    while ((await sender.attempts()).length < 20) await sleep(20);
    await sender.asAdmin(type, { webhookId: 'wh_1', ...body });
    const finished = await sender.finished(20);
    expect(new Set([...finished.values()].map((attempt) => attempt.error))).toEqual(new Set([error]));
    expect(received).toHaveLength(20);
  });

  it('that was disabled and enabled again while no sender ran gets new deliveries only', async () => {
    const { received } = await endpoint('wh_1', answers.status(200));
    await sender.deliver('wh_1', numbers(5));
    await sender.asAdmin('webhook.change', { webhookId: 'wh_1', enabled: false });
    passTime(2 * ENABLED_TOLERANCE_MS);
    await sender.asAdmin('webhook.change', { webhookId: 'wh_1', enabled: true });
    await sender.deliver('wh_1', numbers(3, 5));
    sender.start();
    await sender.finished(8);
    expect(idsOf(received)).toEqual(['evt-wh_1-5', 'evt-wh_1-6', 'evt-wh_1-7']);
  });

  it('that the state does not contain yet gets its deliveries once it does', async () => {
    await reopen({ cancelAfterMs: 2_000 });
    const opened = await openEndpoint(answers.status(200));
    onTestFinished(() => opened.close());
    sender.start();
    await sender.deliver('wh_late', [1]);
    await sleep(300);
    await sender.webhook('wh_late', opened.url);
    expect((await sender.finished(1)).get('dlv_wh_late-1')).toMatchObject({ outcome: 'delivered', attempt: 1 });
  });

  it('has at most 8 attempts at a time, and bad webhooks do not delay others', async () => {
    const bad = await Promise.all([1, 2, 3].map((nth) => endpoint(`wh_bad${nth}`, answers.silence)));
    const good = await endpoint('wh_good', answers.status(204));
    for (const nth of [1, 2, 3]) await sender.deliver(`wh_bad${nth}`, numbers(100));
    await sender.deliver('wh_good', numbers(100));
    sender.start();
    while (good.received.length < 100) await sleep(10);
    expect(good.maxOpen).toBeLessThanOrEqual(8);
    for (const { maxOpen, received } of bad) expect([maxOpen, received.length]).toEqual([8, 8]);
  });
});

describe('a sender that has lost the lease', () => {
  /** Makes the log refuse records that only the lease holder may write. */
  function loseLease(topics: readonly { readonly name: string }[] = SENDER_TOPICS): void {
    const append = sender.log.append.bind(sender.log);
    const leaseTopics = new Set(topics.map(({ name }) => name));
    sender.log.append = async (records: readonly AppendRecord[]) => {
      if (records.some(({ topic }) => leaseTopics.has(topic)))
        throw new LogError('log_fenced', 'another process holds the lease');
      return append(records);
    };
  }

  it('sends at most once in each slot, however fast endpoints answer', async () => {
    const { received } = await endpoint('wh_1', answers.status(204));
    sender.start();
    await sender.deliver('wh_1', [0]);
    await sender.finished(1);
    // Only the topic of attempts refuses: progress may have been stored just before.
    loseLease([attemptTopic]);
    await sender.deliver('wh_1', numbers(200, 1));
    await sender.health.failure;
    await sender.stop();
    expect(received.length).toBeGreaterThan(1);
    expect(received.length).toBeLessThanOrEqual(1 + ATTEMPTS_PER_WEBHOOK);
  });

  it.each([
    ['the wall clock', () => passTime(10_000)],
    ['the monotonic clock alone', () => passTime(10_000, performance)],
  ])('sends nothing after a pause that shows on %s', async (_, pauseProcess) => {
    const { received } = await endpoint('wh_1', answers.after(1, answers.status(503, { 'retry-after': '3' })));
    sender.start();
    await sender.deliver('wh_1', numbers(20));
    // Waits until nothing is left to append before the next attempts, neither attempts nor progress.
    while ((await sender.attempts()).length < 20 || !(await sender.log.last(PROGRESS))) await sleep(20);
    pauseProcess();
    loseLease();
    await sender.health.failure;
    expect(received).toHaveLength(20);
  });

  it('disables no webhook after a last attempt that seemed to fail', async () => {
    await reopen({ schedule: '0' });
    await endpoint('wh_1', (response, nth, all) => {
      loseLease();
      answers.status(500)(response, nth, all);
    });
    sender.start();
    await sender.deliver('wh_1', [1]);
    await sender.health.failure;
    await sender.stop();
    expect(sender.control.state.webhooks.get('wh_1')).toMatchObject({ enabled: true, disabledReason: null });
  });
});
