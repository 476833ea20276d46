import { afterEach, describe, expect, it } from 'vitest';
import type { AwaitedRows } from '../queries/table-barrier.ts';
import { openTestService, type TestService } from '../testing/test-service.fixture.ts';

let service: TestService | null = null;
afterEach(async () => service?.close());

/**
 * Opens a service that records the waits for tables; `rowsOf` answers queries depending on the number of waits so far.
 */
async function open(rowsOf: (sql: string, waits: number) => unknown[]) {
  const waits: { topics: string[]; key: string }[] = [];
  service = await openTestService({
    tables: {
      async awaitRows({ topics, key }: AwaitedRows, signal) {
        expect(signal.aborted).toBe(false);
        waits.push({ topics: topics.map(({ name }) => name), key });
      },
    },
    store: { query: async <T>(sql: string) => rowsOf(sql, waits.length) as T[] },
  });
  return { service, waits };
}
async function makeWebhook({ request }: TestService): Promise<string> {
  const subscriptions = [{ eventType: 'event.settlement.landed', version: 1, filters: {} }];
  const body = { url: 'https://hooks.example.com/x', subscriptions };
  const { status, body: created } = await request('POST', '/v1/webhooks', { body });
  expect(status).toBe(201);
  return created.id;
}

describe('reads of tables that commands fill', () => {
  it('wait for the deliveries and attempts of the webhook before listing deliveries', async () => {
    const row = { id: 'dlv_a', eventId: 'we_a', eventType: 'a.b', createdAt: 1 };
    const opened = await open((sql, waits) => (waits > 0 && sql.includes('FROM deliveries') ? [row] : []));
    const id = await makeWebhook(opened.service);
    const { body } = await opened.service.request('GET', `/v1/webhooks/${id}/deliveries`);
    expect(body.deliveries).toMatchObject([{ id: 'dlv_a', status: 'pending' }]);
    expect(opened.waits).toEqual([{ topics: ['derived.deliveries', 'control.attempts'], key: id }]);
  });

  it('wait for the changes of the organization before listing the audit log', async () => {
    const row = { id: 'c', at: 1, action: 'key.create', keyId: null, userId: null, targetId: 't' };
    const opened = await open((_sql, waits) => (waits > 0 ? [row] : []));
    const { body } = await opened.service.request('GET', '/v1/me/audit-log');
    expect(body.entries).toMatchObject([{ id: 'c' }]);
    expect(opened.waits).toEqual([
      { topics: ['derived.audit'], key: [...opened.service.control.state.organizations.keys()][0] },
    ]);
  });

  it('look up a delivery for redelivery again after waiting, if it is not found at first', async () => {
    const row = { id: 'dlv_a', eventId: 'we_a', eventType: 'a.b', body: '{}' };
    const opened = await open((_sql, waits) => (waits > 0 ? [row] : []));
    const id = await makeWebhook(opened.service);
    const path = `/v1/webhooks/${id}/deliveries/dlv_a/redeliver`;
    expect((await opened.service.request('POST', path)).status).toBe(202);
    expect(opened.waits).toEqual([{ topics: ['derived.deliveries'], key: id }]);
    // This time it is found without waiting.
    expect((await opened.service.request('POST', path)).status).toBe(202);
    expect(opened.waits).toHaveLength(1);
  });

  it('add the recent counts of this node to the usage table', async () => {
    const today = new Date().toISOString().slice(0, 10);
    const rows = [
      { day: '2026-01-01', sku: 'api.request', units: 7 },
      { day: today, sku: 'api.request', units: 1 },
      { day: today, sku: 'pnl.read', units: 5 },
    ];
    const { service: opened, waits } = await open((sql) => (sql.includes('FROM usage') ? rows : []));
    for (let nth = 0; nth < 3; nth += 1) await opened.request('GET', '/v1/me/audit-log');
    const usage = async (query = '') => (await opened.request('GET', `/v1/me/usage${query}`)).body.usage;
    expect(await usage()).toEqual([
      { day: '2026-01-01', sku: 'api.request', units: 7 },
      { day: today, sku: 'api.request', units: 3 },
      { day: today, sku: 'pnl.read', units: 5 },
    ]);
    expect(waits).toHaveLength(3);
    // Days outside of the requested range are returned as the table has them.
    expect(await usage('?from=2026-01-01&to=2026-01-02')).toMatchObject([{ day: '2026-01-01' }, {}, {}]);
  });
});
