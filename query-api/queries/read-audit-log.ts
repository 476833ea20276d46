import type { Store } from '#infra/store/store';
import { unixMs } from '#infra/store/unix-ms';
import { createKey } from '#schemas/domain/control/commands/create-key';
import { revokeKey } from '#schemas/domain/control/commands/revoke-key';
import type { Owner } from '#schemas/domain/control/owner';
import { formatCursor, readCursor } from './time-cursor.ts';

/** One entry, as the table has it. */
export interface AuditLine {
  readonly id: string;
  /** Unix ms. */
  readonly at: number;
  readonly action: string;
  readonly keyId: string | null;
  readonly userId: string | null;
  readonly targetId: string;
}

export interface AuditPage {
  readonly entries: readonly AuditLine[];
  readonly nextCursor: string | null;
}

/** A live key is told of every key, as `GET /keys` tells it. */
const CHANGES_OF_KEYS = [createKey.action, revokeKey.action];

/**
 * The audit log of an organization's live set or of its sandbox, newest first by time, then by id, from after the cursor
 * on. Throws 400 for no cursor.
 */
export async function readAuditLog(
  store: Pick<Store, 'query'>,
  { orgId, sandbox }: Owner,
  limit: number,
  cursor: string | null,
): Promise<AuditPage> {
  const after = cursor === null ? null : readCursor(cursor);
  const rows = await store.query<AuditLine>(
    `SELECT id, ${unixMs('a.at')} AS at, action, keyId, userId, targetId
     FROM audit_log AS a FINAL
     WHERE orgId = {orgId:String}
       AND ${sandbox ? 'sandbox' : '(NOT sandbox OR action IN {changesOfKeys:Array(String)})'}
       ${after ? 'AND (a.at, a.id) < (fromUnixTimestamp64Milli({at:Int64}), {id:String})' : ''}
     ORDER BY a.at DESC, a.id DESC
     LIMIT {rows:UInt32}`,
    // One more than asked for says whether there are more.
    { orgId, changesOfKeys: CHANGES_OF_KEYS, rows: limit + 1, ...(after ?? {}) },
  );
  const entries = rows.slice(0, limit);
  const last = entries.at(-1);
  return { entries, nextCursor: rows.length > limit && last ? formatCursor(last) : null };
}
