import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditLogTable } from '#schemas/tables/audit-log';
import type { AuditRecord } from '#schemas/topics/audit';
import { insertRows } from '../testing/insert-rows.fixture.ts';
import { openTestStore } from '../testing/open-test-store.fixture.ts';
import { NOON_MS } from '../testing/records.fixture.ts';
import { readAuditLog } from './read-audit-log.ts';

const { store, close } = await openTestStore();
afterAll(close);
const OWNER = { orgId: 'org_a', sandbox: false };
const entry = (id: string, at: number, orgId = 'org_a', changes: Partial<AuditRecord> = {}): AuditRecord => ({
  id,
  orgId,
  receivedAt: 0,
  at: NOON_MS + at,
  action: 'key.create',
  keyId: null,
  userId: 'u',
  targetId: 't',
  sandbox: false,
  ...changes,
});
beforeAll(async () => {
  const inSandbox = (id: string, at: number, action: string, orgId = 'org_s') =>
    entry(id, at, orgId, { action, sandbox: true });
  const records = [
    entry('a', 1),
    entry('b', 2),
    entry('c', 2),
    entry('d', 3),
    entry('x', 9, 'org_b'),
    entry('live', 1, 'org_s', { action: 'me.wallet.create' }),
    inSandbox('wallet', 2, 'me.wallet.create'),
    inSandbox('created', 3, 'key.create'),
    inSandbox('revoked', 4, 'key.revoke'),
    inSandbox('hook', 5, 'webhook.disable'),
    inSandbox('other', 6, 'webhook.create', 'org_b'),
  ];
  for (const seq of [10, 20]) await insertRows(store, auditLogTable, records, seq);
});

describe('readAuditLog', () => {
  it('returns the entries of the organization newest first, each once', async () => {
    const { entries, nextCursor } = await readAuditLog(store, OWNER, 10, null);
    expect(entries.map(({ id }) => id)).toEqual(['d', 'c', 'b', 'a']);
    expect(entries[0]).toEqual({
      id: 'd',
      at: NOON_MS + 3,
      action: 'key.create',
      keyId: null,
      userId: 'u',
      targetId: 't',
    });
    expect(nextCursor).toBeNull();
  });

  it('continues exactly where a page ended, even between entries with the same time', async () => {
    const ids: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof readAuditLog>> = await readAuditLog(store, OWNER, 2, cursor);
      ids.push(...page.entries.map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(ids).toEqual(['d', 'c', 'b', 'a']);
  });

  it('separates live and sandbox entries, except that the live log has the changes of all keys', async () => {
    const idsOf = async (sandbox: boolean) => {
      const { entries } = await readAuditLog(store, { orgId: 'org_s', sandbox }, 10, null);
      return entries.map(({ id }) => id);
    };
    expect(await idsOf(false)).toEqual(['revoked', 'created', 'live']);
    expect(await idsOf(true)).toEqual(['hook', 'revoked', 'created', 'wallet']);
  });

  it('refuses an invalid cursor', async () => {
    await expect(readAuditLog(store, OWNER, 2, 'nonsense')).rejects.toThrow(/^cursor: /);
  });
});
