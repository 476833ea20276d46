import { type AuditRecord, auditTopic } from '../topics/audit.ts';
import { countColumn, timeColumn } from './columns.ts';
import { defineTable } from './table.ts';

/** One row per change of an organization's resources. */
export const auditLogTable = defineTable<AuditRecord>({
  name: 'audit_log',
  description: 'Changes of the resources of organizations.',
  orderBy: ['orgId', 'at', 'id'],
  fromTopics: [auditTopic],
  row: ({ orgId, at, id, receivedAt, action, keyId, userId, targetId, sandbox }, meta) => ({
    orgId,
    at: timeColumn(at),
    id,
    receivedAt: timeColumn(receivedAt),
    action,
    keyId,
    userId,
    targetId,
    sandbox,
    version: countColumn(meta.seq),
  }),
});
