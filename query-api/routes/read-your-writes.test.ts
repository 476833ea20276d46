import { afterEach, describe, expect, it } from 'vitest';
import type { AwaitedRows } from '../queries/table-barrier.ts';
import { type AppWorld, openAppWorld } from '../testing/world.fixture.ts';

let world: AppWorld | null = null;
afterEach(async () => world?.close());

/** What was waited for, and what was asked of the store after how many waits. */
async function open(rowsOf: (sql: string, waits: number) => unknown[]) {
  const waits: { topics: string[]; key: string }[] = [];
  world = await openAppWorld({
    tables: {
      async passed({ topics, key }: AwaitedRows, signal) {
        expect(signal.aborted).toBe(false);
        waits.push({ topics: topics.map(({ name }) => name), key });
      },
    },
    store: { query: async <T>(sql: string) => rowsOf(sql, waits.length) as T[] },
  });
  return { world, waits };
}
async function makeWebhook({ ask }: AppWorld): Promise<string> {
  const subscriptions = [{ eventType: 'event.settlement.landed', version: 1, filters: {} }];
  const body = { url: 'https://hooks.example.com/x', subscriptions };
  const { status, body: made } = await ask('POST', '/v1/webhooks', { body });
  expect(status).toBe(201);
  return made.id;
}

describe('reads of tables that commands fill', () => {
  it('of deliveries wait for deliveries and attempts of the webhook', async () => {
    const row = { id: 'dlv_a', eventId: 'we_a', eventType: 'a.b', createdAt: 1 };
    const opened = await open((sql, waits) => (waits > 0 && sql.includes('FROM deliveries') ? [row] : []));
    const id = await makeWebhook(opened.world);
    const { body } = await opened.world.ask('GET', `/v1/webhooks/${id}/deliveries`);
    expect(body.deliveries).toMatchObject([{ id: 'dlv_a', status: 'pending' }]);
    expect(opened.waits).toEqual([{ topics: ['derived.deliveries', 'control.attempts'], key: id }]);
  });

  it('of the audit log wait for the changes of the organization', async () => {
    const row = { id: 'c', at: 1, action: 'key.create', keyId: null, userId: null, targetId: 't' };
    const opened = await open((_sql, waits) => (waits > 0 ? [row] : []));
    const { body } = await opened.world.ask('GET', '/v1/me/audit-log');
    expect(body.entries).toMatchObject([{ id: 'c' }]);
    expect(opened.waits).toEqual([
      { topics: ['derived.audit'], key: [...opened.world.host.state.organizations.keys()][0] },
    ]);
  });

  it('look for a delivery to send again a second time, once the table has what was on its way', async () => {
    const row = { id: 'dlv_a', eventId: 'we_a', eventType: 'a.b', body: '{}' };
    const opened = await open((_sql, waits) => (waits > 0 ? [row] : []));
    const id = await makeWebhook(opened.world);
    const path = `/v1/webhooks/${id}/deliveries/dlv_a/redeliver`;
    expect((await opened.world.ask('POST', path)).status).toBe(202);
    expect(opened.waits).toEqual([{ topics: ['derived.deliveries'], key: id }]);
    // Found at once this time.
    expect((await opened.world.ask('POST', path)).status).toBe(202);
    expect(opened.waits).toHaveLength(1);
  });

  it('of usage count what this node served since the table was written', async () => {
    const today = new Date().toISOString().slice(0, 10);
    const rows = [
      { day: '2026-01-01', sku: 'api.request', units: '7' },
      { day: today, sku: 'api.request', units: '1' },
      { day: today, sku: 'pnl.read', units: '5' },
    ];
    const { world: opened, waits } = await open((sql) => (sql.includes('FROM usage') ? rows : []));
    for (let nth = 0; nth < 3; nth += 1) await opened.ask('GET', '/v1/me/audit-log');
    const usage = async (query = '') => (await opened.ask('GET', `/v1/me/usage${query}`)).body.usage;
    expect(await usage()).toEqual([
      { day: '2026-01-01', sku: 'api.request', units: 7 },
      { day: today, sku: 'api.request', units: 3 },
      { day: today, sku: 'pnl.read', units: 5 },
    ]);
    expect(waits).toHaveLength(3);
    // Days that are not asked for are as the table has them.
    expect(await usage('?from=2026-01-01&to=2026-01-02')).toMatchObject([{ day: '2026-01-01' }, {}, {}]);
  });
});
