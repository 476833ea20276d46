import type { Migration } from './migration.ts';

export const alterAuditLogV2: Migration = {
  number: 22,
  name: '022-alter-audit-log-v2',
  sql: [
    `ALTER TABLE audit_log ADD COLUMN IF NOT EXISTS sandbox Bool DEFAULT false
      COMMENT 'A sandbox key asked, or the service changed something of the sandbox'
      AFTER targetId`,
  ],
};
