/** Tests the deliveries of webhooks with a real log and a real store. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Store } from '#infra/store/store';
import { REDELIVERED_BODY_MAX } from '#schemas/domain/control/commands/redeliver-webhook';
import { DELIVERY_RETENTION_MS } from '#schemas/topics/webhooks';
import { aDelivery, anAttempt, insertAttempts, insertDeliveries } from '../../../../testing/deliveries.fixture.ts';
import { openTestStore } from '../../../../testing/open-test-store.fixture.ts';
import { NOON_MS } from '../../../../testing/records.fixture.ts';
import type { TestRequest } from '../../../../testing/test-service.fixture.ts';
import { NOT_FOUND, openWebhooksApi, refusalOf, type WebhooksApi } from '../webhooks.fixture.ts';

let opened: Awaited<ReturnType<typeof openTestStore>>;
let store: Store;
let api: WebhooksApi;
beforeAll(async () => {
  opened = await openTestStore();
  store = opened.store;
  api = await openWebhooksApi({ store });
});
afterAll(async () => {
  await api.close();
  await opened.close();
});

/** Creates a webhook with deliveries of these fields; returns its id. */
async function webhookWith(deliveries: Parameters<typeof aDelivery>[0][], token?: string): Promise<string> {
  const { id: webhookId } = await api.create(token);
  await insertDeliveries(
    store,
    deliveries.map((fields) => aDelivery({ orgId: api.acme.id, webhookId, ...fields })),
  );
  return webhookId;
}

describe('deliveries', () => {
  it('are listed as in the contract, newest first and in pages', async () => {
    const webhookId = await webhookWith([
      { id: 'dlv_1', eventId: 'we_1' },
      { id: 'dlv_2', eventId: 'we_2', createdAt: NOON_MS + 1 },
      { id: 'dlv_3', eventId: 'we_3', createdAt: NOON_MS + 2 },
      { id: 'dlv_foreign', orgId: api.other.id },
    ]);
    const owner = { orgId: api.acme.id, webhookId };
    const failed = { status: 500, outcome: 'pending', nextAttemptAt: NOON_MS + 5_000 } as const;
    await insertAttempts(store, [
      anAttempt({ ...owner, deliveryId: 'dlv_1' }),
      anAttempt({ ...owner, deliveryId: 'dlv_2', ...failed }),
    ]);
    const row = { eventType: 'event.spread.changed', status: 'pending' };
    const at = '2026-03-01T12:00:00.010Z';
    const all = [
      {
        ...row,
        id: 'dlv_3',
        eventId: 'we_3',
        createdAt: '2026-03-01T12:00:00.002Z',
        nextAttemptAt: '2026-03-01T12:00:00.002Z',
        attempts: [],
      },
      {
        ...row,
        id: 'dlv_2',
        eventId: 'we_2',
        createdAt: '2026-03-01T12:00:00.001Z',
        nextAttemptAt: '2026-03-01T12:00:05.000Z',
        attempts: [{ at, status: 500, durationMs: 25, error: null }],
      },
      {
        ...row,
        id: 'dlv_1',
        eventId: 'we_1',
        status: 'delivered',
        createdAt: '2026-03-01T12:00:00.000Z',
        nextAttemptAt: null,
        attempts: [{ at, status: 200, durationMs: 25, error: null }],
      },
    ];
    const path = `/${webhookId}/deliveries`;
    const complete = await api.send('GET', path);
    expect(complete.body).toEqual({ deliveries: all, pagination: { nextCursor: null, hasMore: false } });
    const first = await api.send('GET', `${path}?limit=2`);
    const { nextCursor } = first.body.pagination;
    expect(first.body).toEqual({ deliveries: all.slice(0, 2), pagination: { nextCursor, hasMore: true } });
    const rest = await api.send('GET', `${path}?limit=2&cursor=${nextCursor}`);
    expect(rest.body).toEqual({ deliveries: all.slice(2), pagination: { nextCursor: null, hasMore: false } });
    expect((await api.send('GET', `${path}?limit=0`)).body.deliveries).toHaveLength(1);
    expect((await refusalOf(api.send('GET', `${path}?limit=x`)))[2]).toMatch(/^limit: /);
    expect((await refusalOf(api.send('GET', `${path}?cursor=zz`)))[2]).toMatch(/^cursor: /);
    expect((await refusalOf(api.send('GET', `${path}?limit=1&limit=2`)))[2]).toBe('limit: must be given once');
  });

  it('can be listed and redelivered for 30 days by the clock of the pipeline', async () => {
    const webhookId = await webhookWith([{ id: 'dlv_old' }, { id: 'dlv_new', createdAt: NOON_MS + 1 }]);
    const listed = async () => {
      const { body } = await api.send('GET', `/${webhookId}/deliveries`);
      return body.deliveries.map(({ id }: { id: string }) => id);
    };
    const redelivered = async (id: string) =>
      (await api.send('POST', `/${webhookId}/deliveries/${id}/redeliver`, { body: {} })).status;
    const { events } = api.service.views;
    try {
      events.now = NOON_MS + DELIVERY_RETENTION_MS;
      expect(await listed()).toEqual(['dlv_new', 'dlv_old']);
      expect(await redelivered('dlv_old')).toBe(202);
      events.now += 1;
      expect(await listed()).toEqual(['dlv_new']);
      expect([await redelivered('dlv_old'), await redelivered('dlv_new')]).toEqual([404, 202]);
    } finally {
      events.now = null;
    }
  });

  it('are empty for a new webhook', async () => {
    const { id } = await api.create();
    expect((await api.send('GET', `/${id}/deliveries`)).body).toEqual({
      deliveries: [],
      pagination: { nextCursor: null, hasMore: false },
    });
  });
});

describe('a delivery', () => {
  it('is returned with its body and the headers of each request, never with a secret', async () => {
    const body = '{"id":"we_1","data":{"note":"é \\u0000"}}';
    const { id: webhookId, secret } = await api.create();
    const owner = { orgId: api.acme.id, webhookId };
    await insertDeliveries(store, [aDelivery({ ...owner, body })]);
    const failed = { status: null, error: 'timeout', outcome: 'pending', nextAttemptAt: NOON_MS + 9 } as const;
    await insertAttempts(store, [
      anAttempt({ ...owner, ...failed, signature: 'v1,first' }),
      anAttempt({ ...owner, attempt: 2, receivedAt: NOON_MS + 5_500, signature: 'v1,second v1,other' }),
      anAttempt({ ...owner, attempt: 3, receivedAt: NOON_MS + 6_000, signature: null }),
    ]);
    const { status, body: got, text } = await api.send('GET', `/${webhookId}/deliveries/dlv_1`);
    expect(status).toBe(200);
    const [listed] = (await api.send('GET', `/${webhookId}/deliveries`)).body.deliveries;
    expect({ ...got, attempts: null }).toEqual({ ...listed, attempts: null, body });
    expect(got.attempts.map(({ requestHeaders: _, ...attempt }: { requestHeaders: unknown }) => attempt)).toEqual(
      listed.attempts,
    );
    expect(got.attempts.map(({ requestHeaders }: { requestHeaders: unknown }) => requestHeaders)).toEqual([
      expect.objectContaining({ 'webhook-timestamp': String(NOON_MS / 1_000), 'webhook-signature': 'v1,first' }),
      {
        'Content-Type': 'application/cloudevents+json; charset=utf-8',
        'User-Agent': 'Parallax-Webhooks/1',
        'webhook-id': 'we_1',
        'webhook-timestamp': String(NOON_MS / 1_000 + 5),
        'webhook-signature': 'v1,second v1,other',
        'X-Svc-Signature': 'v1,second v1,other',
      },
      null,
    ]);
    expect(secret).toMatch(/^whsec_/);
    expect(text).not.toContain('whsec_');
  });

  it('of another webhook, and one that is too old, is answered 404', async () => {
    const webhookId = await webhookWith([{ id: 'dlv_seen' }]);
    const { id: second } = await api.create();
    const none = [404, 'not_found', 'no such delivery'];
    expect(await refusalOf(api.send('GET', `/${second}/deliveries/dlv_seen`))).toEqual(none);
    expect((await api.send('GET', `/${webhookId}/deliveries/dlv_seen`)).status).toBe(200);
    const { events } = api.service.views;
    try {
      events.now = NOON_MS + DELIVERY_RETENTION_MS + 1;
      expect(await refusalOf(api.send('GET', `/${webhookId}/deliveries/dlv_seen`))).toEqual(none);
    } finally {
      events.now = null;
    }
  });
});

describe('a redelivery', () => {
  const redeliver = (webhookId: string, id: string, options: TestRequest = {}) =>
    api.send('POST', `/${webhookId}/deliveries/${id}/redeliver`, options);

  it('uses the stored body and the same event id', async () => {
    const { id: webhookId } = await api.create();
    const body = JSON.stringify({ id: 'we_b', data: { note: `é€ "\\ 🙂 ${'"'.repeat(200_000)}` } }).slice(
      0,
      REDELIVERED_BODY_MAX,
    );
    await insertDeliveries(store, [aDelivery({ orgId: api.acme.id, webhookId, id: 'dlv_b', eventId: 'we_b', body })]);
    const response = await redeliver(webhookId, 'dlv_b');
    expect(response.status).toBe(202);
    expect(response.body).toEqual({ deliveryId: expect.stringMatching(/^dlv_[0-9a-f-]{36}$/) });
    const command = (await api.service.commands()).at(-1)!;
    expect(command.type).toBe('webhook.redeliver');
    expect(JSON.parse(command.body)).toMatchObject({
      webhookId,
      deliveryId: 'dlv_b',
      newDeliveryId: response.body.deliveryId,
      eventId: 'we_b',
      eventType: 'event.spread.changed',
      body,
    });
  });

  it('of a sandbox webhook works for sandbox keys only', async () => {
    const webhookId = await webhookWith([{ id: 'dlv_s' }], api.sandbox);
    expect((await redeliver(webhookId, 'dlv_s', { token: api.sandbox })).status).toBe(202);
    expect(await refusalOf(redeliver(webhookId, 'dlv_s'))).toEqual(NOT_FOUND);
    expect((await api.send('GET', `/${webhookId}/deliveries`, { token: api.sandbox })).body.deliveries).toHaveLength(1);
    expect((await api.send('POST', `/${webhookId}/test`, { token: api.sandbox })).status).toBe(202);
  });

  it('of a delivery of another webhook is answered 404, for a disabled webhook 409', async () => {
    const webhookId = await webhookWith([{ id: 'dlv_own' }]);
    const { id: second } = await api.create();
    const none = [404, 'not_found', 'no such delivery'];
    expect(await refusalOf(redeliver(webhookId, 'dlv_none'))).toEqual(none);
    expect(await refusalOf(redeliver(second, 'dlv_own'))).toEqual(none);
    await api.send('PATCH', `/${webhookId}`, { body: { enabled: false } });
    expect((await refusalOf(redeliver(webhookId, 'dlv_own'))).slice(0, 2)).toEqual([409, 'conflict']);
  });

  it('is sent once per Idempotency-Key', async () => {
    const webhookId = await webhookWith([{ id: 'dlv_i' }]);
    const headers = { 'idempotency-key': 'again' };
    const first = await redeliver(webhookId, 'dlv_i', { headers });
    const again = await redeliver(webhookId, 'dlv_i', { headers });
    expect([again.body, again.headers['idempotent-replayed']]).toEqual([first.body, 'true']);
  });
});
