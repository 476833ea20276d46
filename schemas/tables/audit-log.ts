import { type AuditRecord, auditTopic } from '../topics/audit.ts';
import { defineTable } from './table.ts';

/** One row per change of an organization's resources. */
export const auditLogTable = defineTable<AuditRecord>({
  name: 'audit_log',
  description: 'Changes of the resources of organizations.',
  holds: 'organization',
  orderBy: ['orgId', 'at', 'id'],
  shardBy: ['orgId'],
  fromTopics: [auditTopic],
  lowCardinality: ['action'],
});
