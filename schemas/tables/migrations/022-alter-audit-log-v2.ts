import type { Migration } from './migration.ts';

export const alterAuditLogV2: Migration = {
  number: 22,
  name: '022-alter-audit-log-v2',
  sql: [
    `ALTER TABLE audit_log ADD COLUMN IF NOT EXISTS sandbox Bool DEFAULT false
      COMMENT 'A sandbox key sent the command, or the service changed a sandbox resource'
      AFTER targetId`,
  ],
};
