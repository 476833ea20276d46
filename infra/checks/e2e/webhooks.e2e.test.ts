/** Webhooks from REST to the endpoint and back: what is created, sent, signed, listed and sent again. */
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answers, type Endpoint, openEndpoint, type Received } from '#stream-gateway/webhooks/endpoint.fixture';
import { eventually, type Service, startService, TEST_TOKEN, temporaryFolder } from './service.ts';

const SUBSCRIPTIONS = [
  { eventType: 'broker.trade.executed', version: 1 },
  { eventType: 'event.spread.changed', version: 1 },
];
/** Nobody's fills, so that nothing comes but what is asked for. */
const QUIET = SUBSCRIPTIONS.slice(0, 1);

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

async function ask(method: string, path: string, body?: unknown, token = TEST_TOKEN): Promise<Body> {
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
  ask('POST', '/v1/webhooks', { url, subscriptions }, token);

/** Every request that the endpoint got of this event, once there are so many. */
async function receivedOf(eventId: string, count: number): Promise<readonly Received[]> {
  return eventually(
    async () => endpoint.received.filter(({ id }) => id === eventId),
    (received) => received.length >= count,
  );
}
/** Reads a body as a subscriber does: with the stock verifier, which throws for a bad signature. */
const verify = (secret: string, { body, headers }: Received) =>
  new Webhook(secret).verify(body, headers as Record<string, string>) as Body;
/** The delivery as REST lists it, once it is settled. */
const settled = (webhookId: string, deliveryId: string, token = TEST_TOKEN): Promise<Body> =>
  eventually(
    async () => {
      const { deliveries } = await ask('GET', `/v1/webhooks/${webhookId}/deliveries`, undefined, token);
      return deliveries.find(({ id }: Body) => id === deliveryId);
    },
    (delivery) => delivery !== undefined && delivery.status !== 'pending',
  );

describe.each([
  ['live', false],
  ['sandbox', true],
])('a webhook of the %s set', (_name, sandbox) => {
  it('is tested, listed, rotated and sent to again', async () => {
    const key = { name: 'k', userId: 'u', scopes: ['read', 'admin'], sandbox };
    const { token } = await ask('POST', '/keys', key);
    const webhook = await create(QUIET, token);
    const path = `/v1/webhooks/${webhook.id}`;

    const test = await ask('POST', `${path}/test`, undefined, token);
    const [first] = await receivedOf(test.eventId, 1);
    expect(verify(webhook.secret, first!)).toMatchObject({
      specversion: '1.0',
      id: test.eventId,
      type: 'broker.trade.executed',
      data: { price: '0.42' },
    });
    expect(first!.headers['x-svc-signature']).toBe(first!.headers['webhook-signature']);
    expect(await settled(webhook.id, test.deliveryId, token)).toMatchObject({
      eventId: test.eventId,
      eventType: 'broker.trade.executed',
      status: 'delivered',
      nextAttemptAt: null,
      attempts: [{ status: 204, error: null }],
    });

    const rotated = await ask('POST', `${path}/secret`, undefined, token);
    const again = await ask('POST', `${path}/deliveries/${test.deliveryId}/redeliver`, undefined, token);
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
    expect(await settled(webhook.id, again.deliveryId, token)).toMatchObject({
      eventId: test.eventId,
      status: 'delivered',
    });

    const { deliveries, pagination } = await ask('GET', `${path}/deliveries?limit=1`, undefined, token);
    expect(deliveries.map(({ id }: Body) => id)).toEqual([again.deliveryId]);
    const rest = await ask('GET', `${path}/deliveries?cursor=${pagination.nextCursor}`, undefined, token);
    expect(rest.deliveries.map(({ id }: Body) => id)).toEqual([test.deliveryId]);
    expect(await receivedOf(test.eventId, 2)).toHaveLength(2);
  });
});

it('what happens on the venues is delivered to who subscribes to it, and to no sandbox', async () => {
  const sandboxed = { name: 'k', userId: 'u', scopes: ['read', 'admin'], sandbox: true };
  const { token } = await ask('POST', '/keys', sandboxed);
  const silent = await create(SUBSCRIPTIONS, token);
  const webhook = await create(SUBSCRIPTIONS);
  const { deliveries } = await eventually(
    () => ask('GET', `/v1/webhooks/${webhook.id}/deliveries?limit=200`) as Promise<Body>,
    (list) => list.deliveries.some(({ status }: Body) => status === 'delivered'),
  );
  const { eventId } = deliveries.find(({ status }: Body) => status === 'delivered');
  const [received] = await receivedOf(eventId, 1);
  expect(verify(webhook.secret, received!)).toMatchObject({
    id: eventId,
    type: 'event.spread.changed',
    data: { universalId: expect.stringMatching(/^evt_/), legs: expect.any(Array) },
  });
  await ask('DELETE', `/v1/webhooks/${webhook.id}`);
  expect((await ask('GET', `/v1/webhooks/${silent.id}/deliveries`, undefined, token)).deliveries).toEqual([]);
});

it('one whose endpoint is gone is disabled, and says so', async () => {
  const gone = await openEndpoint(answers.status(410));
  try {
    const webhook = await create(QUIET, TEST_TOKEN, gone);
    const { deliveryId } = await ask('POST', `/v1/webhooks/${webhook.id}/test`);
    expect(await settled(webhook.id, deliveryId)).toMatchObject({ status: 'failed', attempts: [{ status: 410 }] });
    expect(await ask('GET', `/v1/webhooks/${webhook.id}`)).toMatchObject({ enabled: false, disabledReason: 'gone' });
    await expect(ask('POST', `/v1/webhooks/${webhook.id}/test`)).rejects.toThrow(/409.*conflict/);
    const { enabled } = await ask('PATCH', `/v1/webhooks/${webhook.id}`, { enabled: true });
    expect(enabled).toBe(true);
  } finally {
    await gone.close();
  }
});
