/** Tests recoveries of webhooks with a real log and a real store. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Store } from '#infra/store/store';
import { decompressDeliveries } from '#schemas/domain/control/commands/recover-webhook';
import { aDelivery, anAttempt, insertAttempts, insertDeliveries } from '../../../testing/deliveries.fixture.ts';
import { openTestStore } from '../../../testing/open-test-store.fixture.ts';
import { NOON_MS } from '../../../testing/records.fixture.ts';
import type { TestRequest } from '../../../testing/test-service.fixture.ts';
import { NOT_FOUND, openWebhooksApi, refusalOf, type WebhooksApi } from './webhooks.fixture.ts';

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
async function webhookWith(deliveries: Parameters<typeof aDelivery>[0][]): Promise<string> {
  const { id: webhookId } = await api.create();
  await insertDeliveries(
    store,
    deliveries.map((fields) => aDelivery({ orgId: api.acme.id, webhookId, ...fields })),
  );
  return webhookId;
}

describe('a recovery', () => {
  const recover = (webhookId: string, body: object, options: TestRequest = {}) =>
    api.send('POST', `/${webhookId}/recover`, { body, ...options });
  const lastDeliveries = async () => {
    const command = (await api.service.commands()).at(-1)!;
    expect(command.type).toBe('webhook.recover');
    return decompressDeliveries(JSON.parse(command.body).deliveries);
  };

  /** A webhook with five deliveries a second apart: failed, delivered, failed late, pending, failed. */
  async function webhookWithFailures(): Promise<string> {
    const ids = ['dlv_r5', 'dlv_r4', 'dlv_r3', 'dlv_r2', 'dlv_r1'];
    const webhookId = await webhookWith(
      ids.map((id, nth) => ({ id, eventId: `we_${id}`, body: `{"of":"${id}"}`, createdAt: NOON_MS + nth * 1_000 })),
    );
    const owner = { orgId: api.acme.id, webhookId };
    const failed = { status: 500, outcome: 'failed', nextAttemptAt: null } as const;
    const pending = { status: 500, outcome: 'pending', nextAttemptAt: NOON_MS + 9_000 } as const;
    await insertAttempts(store, [
      anAttempt({ ...owner, deliveryId: 'dlv_r5', ...failed }),
      anAttempt({ ...owner, deliveryId: 'dlv_r4' }),
      anAttempt({ ...owner, deliveryId: 'dlv_r3', ...pending }),
      anAttempt({ ...owner, deliveryId: 'dlv_r3', attempt: 2, ...failed, status: null, error: 'timeout' }),
      anAttempt({ ...owner, deliveryId: 'dlv_r2', ...pending }),
      anAttempt({ ...owner, deliveryId: 'dlv_r1', ...failed }),
    ]);
    // The sink may write a row twice.
    await insertDeliveries(
      store,
      [aDelivery({ ...owner, id: 'dlv_r5', eventId: 'we_dlv_r5', body: '{"of":"dlv_r5"}' })],
      2,
    );
    return webhookId;
  }

  it('sends the failed deliveries of the time again, oldest first, with their bodies', async () => {
    const webhookId = await webhookWithFailures();
    const all = await recover(webhookId, { since: '2026-03-01' });
    expect([all.status, all.body]).toEqual([202, { deliveries: 3 }]);
    expect(await lastDeliveries()).toEqual(
      ['dlv_r5', 'dlv_r3', 'dlv_r1'].map((id) => ({
        deliveryId: id,
        eventId: `we_${id}`,
        eventType: 'event.spread.changed',
        body: `{"of":"${id}"}`,
      })),
    );
    const some = await recover(webhookId, { since: String(NOON_MS + 1), until: String(NOON_MS + 4_000) });
    expect(some.body).toEqual({ deliveries: 1 });
    expect((await lastDeliveries()).map(({ deliveryId }) => deliveryId)).toEqual(['dlv_r3']);
    const none = await recover(webhookId, { since: String(NOON_MS + 5_000) });
    expect([none.status, none.body]).toEqual([202, { deliveries: 0 }]);
  });

  it('only counts them if that is requested', async () => {
    const webhookId = await webhookWithFailures();
    const before = (await api.service.commands()).length;
    const counted = await recover(webhookId, { since: '2026-03-01', dryRun: true });
    expect([counted.status, counted.body]).toEqual([200, { deliveries: 3 }]);
    expect(await api.service.commands()).toHaveLength(before);
  });

  it('happens once per Idempotency-Key', async () => {
    const webhookId = await webhookWithFailures();
    const headers = { 'idempotency-key': 'recover' };
    const first = await recover(webhookId, { since: '2026-03-01' }, { headers });
    const again = await recover(webhookId, { since: '2026-03-01' }, { headers });
    expect([again.status, again.body, again.headers['idempotent-replayed']]).toEqual([202, first.body, 'true']);
  });

  it('of more than 10,000 deliveries, or of more bytes than fit, is refused and names since', async () => {
    const webhookId = await webhookWith([]);
    const owner = { orgId: api.acme.id, webhookId };
    const ids = Array.from({ length: 10_001 }, (_, nth) => `dlv_${String(nth).padStart(5, '0')}`);
    const body = JSON.stringify({ note: 'a body of the usual length'.repeat(30) });
    await insertDeliveries(
      store,
      ids.map((id, nth) => aDelivery({ ...owner, id, body, createdAt: NOON_MS + nth })),
    );
    const failed = { status: 500, outcome: 'failed', nextAttemptAt: null } as const;
    await insertAttempts(
      store,
      ids.map((deliveryId) => anAttempt({ ...owner, deliveryId, ...failed })),
    );
    const refused = await refusalOf(recover(webhookId, { since: '0' }));
    expect(refused.slice(0, 2)).toEqual([422, 'validation_failed']);
    expect(refused[2]).toMatch(/^since: 10001 /);
    expect((await recover(webhookId, { since: String(NOON_MS + 1) })).body).toEqual({ deliveries: 10_000 });
    expect(await lastDeliveries()).toHaveLength(10_000);
    const large = await webhookWith([]);
    const random = (nth: number) =>
      aDelivery({
        orgId: api.acme.id,
        webhookId: large,
        id: `dlv_${nth}`,
        body: randomBytes(150_000).toString('base64'),
      });
    await insertDeliveries(
      store,
      Array.from({ length: 40 }, (_, nth) => random(nth)),
    );
    await insertAttempts(
      store,
      Array.from({ length: 40 }, (_, nth) =>
        anAttempt({ orgId: api.acme.id, webhookId: large, deliveryId: `dlv_${nth}`, ...failed }),
      ),
    );
    expect((await refusalOf(recover(large, { since: '0' })))[2]).toMatch(/^since: .* too large/);
  });

  it('is refused for a disabled webhook, a foreign one, and for times that are none', async () => {
    const webhookId = await webhookWithFailures();
    expect(await refusalOf(recover(webhookId, { since: '0' }, { token: api.other.token }))).toEqual(NOT_FOUND);
    for (const [body, field] of [
      [{}, 'since'],
      [{ since: 'yesterday' }, 'since'],
      [{ since: '2026-03-02', until: '2026-03-01' }, 'until'],
    ] as const) {
      const [status, code, message] = await refusalOf(recover(webhookId, body));
      expect([status, code, String(message).split(':')[0]]).toEqual([400, 'validation_failed', field]);
    }
    await api.send('PATCH', `/${webhookId}`, { body: { enabled: false } });
    expect((await refusalOf(recover(webhookId, { since: '0' }))).slice(0, 2)).toEqual([409, 'conflict']);
  });
});
