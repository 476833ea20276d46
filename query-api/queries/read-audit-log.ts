import type { Store } from '#infra/store/store';
import { unixMs } from '#infra/store/unix-ms';
import { createKey } from '#schemas/domain/control/commands/create-key';
import { revokeKey } from '#schemas/domain/control/commands/revoke-key';
import type { Owner } from '#schemas/domain/control/owner';
import { formatCursor, readCursor } from './time-cursor.ts';

/** An entry as it is stored in the table. */
export interface AuditEntry {
  readonly id: string;
  /** Unix ms. */
  readonly at: number;
  readonly action: string;
  readonly keyId: string | null;
  readonly userId: string | null;
  readonly targetId: string;
}

export interface AuditPage {
  readonly entries: readonly AuditEntry[];
  readonly nextCursor: string | null;
}

/** A live key sees the changes of all keys, sandbox keys included, as `GET /keys` lists them. */
const KEY_ACTIONS = [createKey.action, revokeKey.action];

/**
 * Reads the audit log of an organization's live resources or of its sandbox resources after the cursor, newest first by
 * time, then by id. Throws 400 for an invalid cursor.
 */
export async function readAuditLog(
  store: Pick<Store, 'query'>,
  { orgId, sandbox }: Owner,
  limit: number,
  cursor: string | null,
): Promise<AuditPage> {
  const after = cursor === null ? null : readCursor(cursor);
  const rows = await store.query<AuditEntry>(
    `SELECT id, ${unixMs('a.at')} AS at, action, keyId, userId, targetId
     FROM audit_log AS a FINAL
     WHERE orgId = {orgId:String}
       AND ${sandbox ? 'sandbox' : '(NOT sandbox OR action IN {keyActions:Array(String)})'}
       ${after ? 'AND (a.at, a.id) < (fromUnixTimestamp64Milli({at:Int64}), {id:String})' : ''}
     ORDER BY a.at DESC, a.id DESC
     LIMIT {rows:UInt32}`,
    // One more than requested shows whether there is a next page.
    { orgId, keyActions: KEY_ACTIONS, rows: limit + 1, ...(after ?? {}) },
  );
  const entries = rows.slice(0, limit);
  const last = entries.at(-1);
  return { entries, nextCursor: rows.length > limit && last ? formatCursor(last) : null };
}
