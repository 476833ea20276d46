import { createKey } from '#schemas/domain/control/commands/create-key';
import { revokeKey } from '#schemas/domain/control/commands/revoke-key';
import type { Owner } from '#schemas/domain/control/owner';
import { auditLogTable } from '#schemas/tables/audit-log';
import { query, type Reader } from './query.ts';
import { type RowOf, selectColumns } from './select-columns.ts';
import { formatCursor, readCursor } from './time-cursor.ts';

const COLUMNS = selectColumns(auditLogTable, 'a', ['id', 'at', 'action', 'keyId', 'userId', 'targetId']);
export type AuditEntry = RowOf<typeof COLUMNS>;

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
  store: Reader,
  { orgId, sandbox }: Owner,
  limit: number,
  cursor: string | null,
): Promise<AuditPage> {
  const after = cursor === null ? null : readCursor(cursor);
  const rows = await query(store, {
    name: 'audit-log',
    sql: `SELECT ${COLUMNS}
     FROM audit_log AS a FINAL
     WHERE orgId = {orgId:String}
       AND ${sandbox ? 'sandbox' : '(NOT sandbox OR action IN {keyActions:Array(String)})'}
       ${after ? 'AND (a.at, a.id) < (fromUnixTimestamp64Milli({at:Int64}), {id:String})' : ''}
     ORDER BY a.at DESC, a.id DESC
     LIMIT {rows:UInt32}`,
    // One more than requested shows whether there is a next page.
    parameters: { orgId, keyActions: KEY_ACTIONS, rows: limit + 1, ...(after ?? {}) },
    parse: (found: AuditEntry[]) => found,
  });
  const entries = rows.slice(0, limit);
  const last = entries.at(-1);
  return { entries, nextCursor: rows.length > limit && last ? formatCursor(last) : null };
}
