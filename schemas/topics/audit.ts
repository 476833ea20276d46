import { added, flag, type Infer, nullable, record, text, timestamp } from '../avro.ts';
import { defineTopic } from './topic.ts';

const auditEntry = record('AuditEntry', "One change of an organization's resources.", {
  id: text('The command that did it.'),
  orgId: text('Whose resources changed.'),
  receivedAt: timestamp("The pipeline's time from which it counts."),
  at: timestamp('Wall time of the command.'),
  action: text('As `me.platform_attribution.create`.'),
  keyId: nullable(text('The key that asked; null for the service itself.')),
  userId: nullable(text("That key's user.")),
  targetId: text('What was changed.'),
  sandbox: added(flag("A sandbox key asked, or the service changed something of the sandbox's."), false),
});
export type AuditRecord = Infer<typeof auditEntry>;

/** Every accepted change, told once. */
export const auditTopic = defineTopic({
  name: 'derived.audit',
  description: 'Changes of the resources of organizations.',
  key: 'organization',
  partitions: 1,
  retention: { kind: 'forever' },
  schema: auditEntry,
  table: 'audit_log',
});
