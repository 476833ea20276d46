import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { partitionOf } from '#schemas/topics/topic';
import { attemptTopic, type DeliveryAttempt } from '#schemas/topics/webhooks';
import { answers } from '#stream-gateway/webhooks/endpoint-answers.fixture';
import { openControlReplica } from '../../../control/control-replica.ts';
import { checkOutcome } from './check-outcome.ts';
import { type Endpoints, openEndpoints, urlOf } from './endpoints.ts';
import { fillLog } from './fill-log.ts';
import { deliveryOf, type MixedWebhook, mixOf, ORGANIZATION, sum } from './mix.ts';
import { openLogContext } from './open-log.ts';

const GOOD: MixedWebhook = { id: 'wh_good', answer: answers.status(200), ending: 'delivers', deliveries: 2 };
const GONE: MixedWebhook = { id: 'wh_gone', answer: answers.status(410), ending: 'gone', deliveries: 1 };
const MIX = [GOOD, GONE];

let path: string;
let endpoints: Endpoints;

beforeEach(async () => {
  path = mkdtempSync(join(tmpdir(), 'parallax-bench-test-'));
  endpoints = await openEndpoints(MIX);
  await fillLog(path, MIX, endpoints.port);
});

afterEach(async () => {
  await endpoints.close();
  rmSync(path, { recursive: true, force: true });
});

async function post({ id }: MixedWebhook, number: number, bytes?: string): Promise<void> {
  const { eventId, body } = deliveryOf(id, number, 0);
  const headers = { 'webhook-id': eventId };
  const response = await fetch(urlOf(endpoints.port, id), { method: 'POST', headers, body: bytes ?? body });
  await response.arrayBuffer();
}

/** Appends the last attempts of two delivered events and of one answered with 410, and disables that webhook. */
async function record(changed: { readonly good?: Partial<DeliveryAttempt>; readonly gone?: Partial<DeliveryAttempt> }) {
  const context = await openLogContext(path);
  const attempt = ({ id: webhookId }: MixedWebhook, number: number, more: Partial<DeliveryAttempt>) => {
    const { id } = deliveryOf(webhookId, number, 0);
    const shape = { deliveryId: id, webhookId, orgId: ORGANIZATION, attempt: 1, receivedAt: Date.now(), durationMs: 1 };
    const value = { ...shape, status: 200, error: null, outcome: 'delivered', nextAttemptAt: null, ...more } as const;
    return {
      topic: attemptTopic.name,
      partition: partitionOf(webhookId, attemptTopic.partitions),
      key: webhookId,
      value: context.codec.encode(attemptTopic, value),
      receivedAt: value.receivedAt,
      seq: 0,
    };
  };
  await context.codec.prepare([attemptTopic]);
  await context.log.append([
    attempt(GOOD, 0, {}),
    attempt(GOOD, 1, changed.good ?? {}),
    attempt(GONE, 0, { status: 410, outcome: 'failed', ...changed.gone }),
  ]);
  const control = await openControlReplica(context);
  const { updatedAt } = control.state.webhooks.get(GONE.id)!;
  await control.submit('webhook.disable', { webhookId: GONE.id, updatedAt, reason: 'gone' });
  await control.close();
  await context.log.close();
}

async function postAll(): Promise<void> {
  await post(GOOD, 0);
  await post(GOOD, 1);
  await post(GONE, 0);
}

const check = (kills = 0) => checkOutcome({ path, mix: MIX, endpoints, kills, timeoutMs: 100 });

it('passes if every event arrived and is finished', async () => {
  await postAll();
  await record({});
  await check();
});

it.each([
  ['an event that never arrived', () => post(GONE, 0), {}, 'wh_good never received event 0'],
  ['a delivery that is not finished', postAll, { good: { outcome: 'pending' } }, '2 of 3 deliveries are finished'],
  ['a delivery that failed', postAll, { good: { outcome: 'failed' } }, 'event 1 of wh_good is failed'],
  [
    'an attempt after the webhook was disabled',
    postAll,
    { gone: { receivedAt: Date.now() + 60_000 } },
    /wh_gone was sent to \d+ ms after/,
  ],
] as const)('throws for %s', async (_, send, changed, message) => {
  await send();
  await record(changed);
  await expect(check()).rejects.toThrow(message);
});

it('throws for a changed body', async () => {
  await post(GOOD, 0, '{"specversion":"1.0"}');
  await postAll();
  await record({});
  await expect(check()).rejects.toThrow('/hooks/wh_good received the event "evt-wh_good-0" with the body');
});

it('throws for more unrecorded requests than kills can repeat', async () => {
  await postAll();
  await record({});
  for (let again = 1; again <= 8; again += 1) await post(GOOD, 0);
  await check(1);
  await post(GOOD, 0);
  await expect(check(1)).rejects.toThrow('wh_good received 11 requests, but only 2 attempts are recorded');
});

it('generates exactly the requested number of deliveries', () => {
  for (const deliveries of [5_000, 5_001, 100_000])
    expect(sum(mixOf({ deliveries, copies: 8, waiting: 24, timeoutMs: 100 }))).toBe(deliveries);
});
