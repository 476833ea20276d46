import { flag, type Infer, nullable, record, text, timestamp, withDefault } from '../avro.ts';
import { defineTopic } from './topic.ts';

const auditEntry = record('AuditEntry', "One change of an organization's resources.", {
  id: text('Id of the command.'),
  orgId: text('The organization whose resources changed.'),
  receivedAt: timestamp('Event time from which it is effective.'),
  at: timestamp('Wall time of the command.'),
  action: text('For example `me.platform_attribution.create`.'),
  keyId: nullable(text('The key that sent the command; null for the service itself.')),
  userId: nullable(text("That key's user.")),
  targetId: text('The resource that was changed.'),
  sandbox: withDefault(flag('A sandbox key sent the command, or the service changed a sandbox resource.'), false),
});
export type AuditRecord = Infer<typeof auditEntry>;

/** Every accepted change, published once. */
export const auditTopic = defineTopic({
  name: 'derived.audit',
  description: 'Changes of the resources of organizations.',
  key: 'organization',
  partitions: 1,
  retention: { kind: 'forever' },
  schema: auditEntry,
});
