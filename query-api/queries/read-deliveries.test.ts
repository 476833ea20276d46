import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aDelivery, anAttempt, insertAttempts, insertDeliveries } from '../testing/deliveries.fixture.ts';
import { openTestStore } from '../testing/open-test-store.fixture.ts';
import { NOON_MS } from '../testing/records.fixture.ts';
import { findDelivery } from './find-delivery.ts';
import { type DeliveryPage, readDeliveries } from './read-deliveries.ts';

const FILTER = { orgId: 'org_a', webhookId: 'wh_1', since: NOON_MS };
const NAMES = ['a', 'b', 'c', 'd', 'e'];
/** Several deliveries have the same time. */
const OFFSETS = [0, 1, 1, 1, 2];
/** Row versions of the newest delivery, so many that the first query finds nothing else. */
const COPIES = 20;
const { store, close } = await openTestStore();
afterAll(close);

beforeAll(async () => {
  const rows = NAMES.map((name, nth) =>
    aDelivery({ id: `dlv_${name}`, eventId: `we_${name}`, createdAt: NOON_MS + OFFSETS[nth]! }),
  );
  // Duplicates, as the sink may write a record twice, and deliveries of others.
  await insertDeliveries(store, rows);
  await insertDeliveries(store, rows.slice(1, 4), 100);
  for (let copy = 1; copy <= COPIES; copy += 1) await insertDeliveries(store, rows.slice(4), copy * 1_000);
  await insertDeliveries(store, [
    aDelivery({ id: 'dlv_x', orgId: 'org_b' }),
    aDelivery({ id: 'dlv_y', webhookId: 'wh_2' }),
    // Too old to be listed.
    aDelivery({ id: 'dlv_0', createdAt: NOON_MS - 1 }),
    aDelivery({ id: 'dlv_bytes', webhookId: 'wh_3', body: `{"note":"é€\\n'\\\\ 🙂"}` }),
  ]);
  const failed = { status: null, error: 'timeout', outcome: 'pending' } as const;
  await insertAttempts(store, [
    anAttempt({ deliveryId: 'dlv_a', attempt: 2, status: 204, receivedAt: NOON_MS + 5_000 }),
    anAttempt({ deliveryId: 'dlv_a', ...failed, nextAttemptAt: NOON_MS + 5_000 }),
    anAttempt({ deliveryId: 'dlv_b', ...failed, status: 500, error: null, nextAttemptAt: NOON_MS + 7_000 }),
    anAttempt({ deliveryId: 'dlv_c', status: null, error: 'webhook_disabled', outcome: 'failed', durationMs: 0 }),
    // Attempts of others with the same delivery id.
    anAttempt({ deliveryId: 'dlv_e', webhookId: 'wh_2' }),
    anAttempt({ deliveryId: 'dlv_e', orgId: 'org_b' }),
  ]);
  await insertAttempts(store, [anAttempt({ deliveryId: 'dlv_b', attempt: 1, status: 503, error: null })], 100);
});

const idsOf = ({ deliveries }: DeliveryPage) => deliveries.map(({ id }) => id);

describe('readDeliveries', () => {
  it('returns the deliveries of the webhook newest first, each once', async () => {
    const page = await readDeliveries(store, FILTER, 10, null);
    expect(idsOf(page)).toEqual(['dlv_e', 'dlv_d', 'dlv_c', 'dlv_b', 'dlv_a']);
    expect(page.nextCursor).toBeNull();
    expect(idsOf(await readDeliveries(store, { ...FILTER, orgId: 'org_b' }, 10, null))).toEqual(['dlv_x']);
    expect(idsOf(await readDeliveries(store, { ...FILTER, webhookId: 'wh_none' }, 10, null))).toEqual([]);
  });

  it('returns attempts in order, and the status after the last one', async () => {
    const { deliveries } = await readDeliveries(store, FILTER, 10, null);
    const [e, , c, b, a] = deliveries;
    expect(a).toEqual({
      id: 'dlv_a',
      eventId: 'we_a',
      eventType: 'event.spread.changed',
      status: 'delivered',
      createdAt: NOON_MS,
      nextAttemptAt: null,
      attempts: [
        { at: NOON_MS + 10, status: null, durationMs: 25, error: 'timeout', signature: 'v1,signed' },
        { at: NOON_MS + 5_000, status: 204, durationMs: 25, error: null, signature: 'v1,signed' },
      ],
    });
    expect(b).toMatchObject({ status: 'delivered', attempts: [{ status: 503 }] });
    expect(c).toMatchObject({ status: 'failed', nextAttemptAt: null, attempts: [{ error: 'webhook_disabled' }] });
    expect(e).toMatchObject({ status: 'pending', nextAttemptAt: NOON_MS + 2, attempts: [] });
  });

  it.each([1, 2, 3, 4, 5])('continues exactly where a page of %i ended, even between equal times', async (limit) => {
    const ids: string[] = [];
    let cursor: string | null = null;
    do {
      const page: DeliveryPage = await readDeliveries(store, FILTER, limit, cursor);
      expect(page.deliveries.length).toBeGreaterThan(0);
      ids.push(...idsOf(page));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(ids).toEqual(['dlv_e', 'dlv_d', 'dlv_c', 'dlv_b', 'dlv_a']);
  });

  it('leaves out deliveries from before `since`', async () => {
    const since = (at: number) => readDeliveries(store, { ...FILTER, since: at }, 10, null).then(idsOf);
    expect(await since(NOON_MS - 1)).toEqual(['dlv_e', 'dlv_d', 'dlv_c', 'dlv_b', 'dlv_a', 'dlv_0']);
    expect(await since(NOON_MS + 1)).toEqual(['dlv_e', 'dlv_d', 'dlv_c', 'dlv_b']);
    expect(await since(NOON_MS + 3)).toEqual([]);
  });

  it('refuses an invalid cursor', async () => {
    await expect(readDeliveries(store, FILTER, 2, 'nonsense')).rejects.toThrow(/^cursor: /);
  });
});

describe('findDelivery', () => {
  it('returns the exact body', async () => {
    expect(await findDelivery(store, { ...FILTER, webhookId: 'wh_3', id: 'dlv_bytes' })).toEqual({
      id: 'dlv_bytes',
      eventId: 'we_1',
      eventType: 'event.spread.changed',
      createdAt: NOON_MS,
      body: `{"note":"é€\\n'\\\\ 🙂"}`,
    });
  });

  it.each([
    ['unknown', { id: 'dlv_none' }],
    ['of another webhook', { id: 'dlv_y' }],
    ['of another organization', { id: 'dlv_x' }],
    ['too old', { id: 'dlv_0' }],
  ])('returns null for a delivery that is %s', async (_name, which) => {
    expect(await findDelivery(store, { ...FILTER, ...which })).toBeNull();
  });
});
