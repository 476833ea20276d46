import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Store } from '#infra/store/store';
import { auditLogTable } from '#schemas/tables/audit-log';
import type { AuditRecord } from '#schemas/topics/audit';
import { insertRows } from '../../../testing/insert-rows.fixture.ts';
import { openTestStore } from '../../../testing/open-test-store.fixture.ts';
import { NOON_MS } from '../../../testing/records.fixture.ts';
import { openTestService, type TestService } from '../../../testing/test-service.fixture.ts';

let store: Store;
let closeStore: () => Promise<void>;
let service: TestService;
beforeAll(async () => {
  ({ store, close: closeStore } = await openTestStore());
  service = await openTestService({ store });
});
afterAll(async () => {
  await service.close();
  await closeStore();
});

it('GET /v1/me/audit-log returns live changes to a live key and sandbox changes to a sandbox key', async () => {
  const { id: orgId, token } = await service.organization('Acme');
  const sandbox = await service.key(token, ['admin'], true);
  const wallet = (id: string, changes: Partial<AuditRecord>): AuditRecord => ({
    id,
    orgId,
    receivedAt: NOON_MS,
    at: NOON_MS,
    action: 'me.wallet.create',
    keyId: 'key',
    userId: 'u',
    targetId: `wal_${id}`,
    sandbox: false,
    ...changes,
  });
  await insertRows(store, auditLogTable, [
    wallet('live', {}),
    wallet('test', { keyId: sandbox.id, sandbox: true, at: NOON_MS + 1 }),
  ]);
  const logOf = async (as: string) => (await service.request('GET', '/v1/me/audit-log', { token: as })).body;
  const pagination = { nextCursor: null, hasMore: false };
  const entry = { at: '2026-03-01T12:00:00.000Z', action: 'me.wallet.create', keyId: 'key', userId: 'u' };
  expect(await logOf(token)).toEqual({ entries: [{ ...entry, id: 'live', targetId: 'wal_live' }], pagination });
  expect(await logOf(sandbox.token)).toEqual({
    entries: [{ ...entry, id: 'test', at: '2026-03-01T12:00:00.001Z', keyId: sandbox.id, targetId: 'wal_test' }],
    pagination,
  });
});
