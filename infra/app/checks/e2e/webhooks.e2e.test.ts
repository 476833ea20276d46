/** Tests webhooks end to end: creation, delivery, signature, listing and redelivery. */
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answers, type Endpoint, openEndpoint, type Received } from '#stream-gateway/webhooks/endpoint.fixture';
import { eventually, type Service, startService, TEST_TOKEN, temporaryFolder } from './service.ts';

const SUBSCRIPTIONS = [
  { eventType: 'broker.trade.executed', version: 1 },
  { eventType: 'event.spread.changed', version: 1 },
];
/** Without bound wallets there are no fills, so only requested test events arrive. */
const TEST_EVENTS_ONLY = SUBSCRIPTIONS.slice(0, 1);

const folder = temporaryFolder('parallax-webhooks');
let service: Service;
let endpoint: Endpoint;
beforeAll(async () => {
  endpoint = await openEndpoint(answers.status(204));
  service = await startService({
    dataDir: folder.path,
    flags: ['--sim-events', '4', '--sim-coins', '5'],
    env: { PARALLAX_WEBHOOK_ALLOW_LOOPBACK: 'on', PARALLAX_WEBHOOK_SCHEDULE: '0,1,1' },
  });
});
afterAll(async () => {
  await service.stop();
  await endpoint.close();
  folder.remove();
});

type Body = ReturnType<typeof JSON.parse>;

async function request(method: string, path: string, body?: unknown, token = TEST_TOKEN): Promise<Body> {
  const response = await fetch(`${service.rest}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(10_000),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text === '' ? null : JSON.parse(text);
}
const create = (subscriptions: readonly object[], token = TEST_TOKEN, { url } = endpoint) =>
  request('POST', '/v1/webhooks', { url, subscriptions }, token);

/** Returns the requests for this event that the endpoint received, once there are at least `count`. */
async function receivedOf(eventId: string, count: number): Promise<readonly Received[]> {
  return eventually(
    async () => endpoint.received.filter(({ id }) => id === eventId),
    (received) => received.length >= count,
  );
}
/** Verifies a body as a subscriber does, with the standard library, which throws for a wrong signature. */
const verify = (secret: string, { body, headers }: Received) =>
  new Webhook(secret).verify(body, headers as Record<string, string>) as Body;
/** Returns the delivery as REST lists it, once it is no longer pending. */
const finishedDelivery = (webhookId: string, deliveryId: string, token = TEST_TOKEN): Promise<Body> =>
  eventually(
    async () => {
      const { deliveries } = await request('GET', `/v1/webhooks/${webhookId}/deliveries`, undefined, token);
      return deliveries.find(({ id }: Body) => id === deliveryId);
    },
    (delivery) => delivery !== undefined && delivery.status !== 'pending',
  );

describe.each([
  ['live', false],
  ['sandbox', true],
])('a webhook of the %s set', (_name, sandbox) => {
  it('can be tested, listed, rotated and redelivered to', async () => {
    const key = { name: 'k', userId: 'u', scopes: ['read', 'admin'], sandbox };
    const { token } = await request('POST', '/keys', key);
    const webhook = await create(TEST_EVENTS_ONLY, token);
    const path = `/v1/webhooks/${webhook.id}`;

    const test = await request('POST', `${path}/test`, undefined, token);
    const [first] = await receivedOf(test.eventId, 1);
    expect(verify(webhook.secret, first!)).toMatchObject({
      specversion: '1.0',
      id: test.eventId,
      type: 'broker.trade.executed',
      data: { price: '0.42' },
    });
    expect(first!.headers['x-svc-signature']).toBe(first!.headers['webhook-signature']);
    expect(await finishedDelivery(webhook.id, test.deliveryId, token)).toMatchObject({
      eventId: test.eventId,
      eventType: 'broker.trade.executed',
      status: 'delivered',
      nextAttemptAt: null,
      attempts: [{ status: 204, error: null }],
    });

    const rotated = await request('POST', `${path}/secret`, undefined, token);
    const again = await request('POST', `${path}/deliveries/${test.deliveryId}/redeliver`, undefined, token);
    expect(again.deliveryId).not.toBe(test.deliveryId);
    const [, second] = await receivedOf(test.eventId, 2);
    expect(second!.body).toBe(first!.body);
    const signatures = String(second!.headers['webhook-signature']).split(' ');
    expect(signatures).toHaveLength(2);
    for (const [nth, secret] of [rotated.secret, webhook.secret].entries()) {
      const alone = { ...second!, headers: { ...second!.headers, 'webhook-signature': signatures[nth] } };
      expect(verify(secret, alone).id).toBe(test.eventId);
    }
    expect(() => verify(webhook.secret, { ...second!, body: `${second!.body} ` })).toThrow(/signature/);
    expect(await finishedDelivery(webhook.id, again.deliveryId, token)).toMatchObject({
      eventId: test.eventId,
      status: 'delivered',
    });

    const { deliveries, pagination } = await request('GET', `${path}/deliveries?limit=1`, undefined, token);
    expect(deliveries.map(({ id }: Body) => id)).toEqual([again.deliveryId]);
    const rest = await request('GET', `${path}/deliveries?cursor=${pagination.nextCursor}`, undefined, token);
    expect(rest.deliveries.map(({ id }: Body) => id)).toEqual([test.deliveryId]);
    expect(await receivedOf(test.eventId, 2)).toHaveLength(2);
  });
});

it('live events are delivered to subscribed webhooks, and to no sandbox webhook', async () => {
  const sandboxed = { name: 'k', userId: 'u', scopes: ['read', 'admin'], sandbox: true };
  const { token } = await request('POST', '/keys', sandboxed);
  const silent = await create(SUBSCRIPTIONS, token);
  const webhook = await create(SUBSCRIPTIONS);
  const { deliveries } = await eventually(
    () => request('GET', `/v1/webhooks/${webhook.id}/deliveries?limit=200`) as Promise<Body>,
    (list) => list.deliveries.some(({ status }: Body) => status === 'delivered'),
  );
  const { eventId } = deliveries.find(({ status }: Body) => status === 'delivered');
  const [received] = await receivedOf(eventId, 1);
  expect(verify(webhook.secret, received!)).toMatchObject({
    id: eventId,
    type: 'event.spread.changed',
    data: { universalId: expect.stringMatching(/^evt_/), legs: expect.any(Array) },
  });
  await request('DELETE', `/v1/webhooks/${webhook.id}`);
  expect((await request('GET', `/v1/webhooks/${silent.id}/deliveries`, undefined, token)).deliveries).toEqual([]);
});

it('a webhook whose endpoint answers 410 is disabled with the reason gone', async () => {
  const gone = await openEndpoint(answers.status(410));
  try {
    const webhook = await create(TEST_EVENTS_ONLY, TEST_TOKEN, gone);
    const { deliveryId } = await request('POST', `/v1/webhooks/${webhook.id}/test`);
    expect(await finishedDelivery(webhook.id, deliveryId)).toMatchObject({
      status: 'failed',
      attempts: [{ status: 410 }],
    });
    // The delivery and the webhook change by records of their own.
    await eventually(
      () => request('GET', `/v1/webhooks/${webhook.id}`),
      ({ enabled, disabledReason }) => enabled === false && disabledReason === 'gone',
    );
    await expect(request('POST', `/v1/webhooks/${webhook.id}/test`)).rejects.toThrow(/409.*conflict/);
    const { enabled } = await request('PATCH', `/v1/webhooks/${webhook.id}`, { enabled: true });
    expect(enabled).toBe(true);
  } finally {
    await gone.close();
  }
});

it('the service stops in order while an endpoint does not answer', async () => {
  const hanging = await openEndpoint(answers.silence);
  try {
    const webhook = await create(TEST_EVENTS_ONLY, TEST_TOKEN, hanging);
    await request('POST', `/v1/webhooks/${webhook.id}/test`);
    await eventually(
      async () => hanging.received.length,
      (count) => count > 0,
    );
    expect(await service.stop('SIGINT')).toBe(0);
    expect(service.output()).toMatch(/^stopped\n$/m);
  } finally {
    await hanging.close();
  }
});
