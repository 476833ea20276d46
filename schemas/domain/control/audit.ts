import type { Change } from './command.ts';
import type { Actor } from './envelope.ts';

/** One line of an organization's audit log. */
export interface AuditEntry {
  /** The organization whose log has the entry; `GET /v1/me/audit-log` does not return it. */
  readonly orgId: string;
  /** Id of the command. Unique within the organization's log. */
  readonly id: string;
  /** ISO-8601. */
  readonly at: string;
  /** For example `me.platform_attribution.create`. */
  readonly action: string;
  /** Null for a change by the service itself, and for one that an operator made to another organization. */
  readonly keyId: string | null;
  readonly userId: string | null;
  readonly targetId: string;
  /** True if a sandbox key sent the command, so that it changed the sandbox's resources. */
  readonly sandbox: boolean;
}

/**
 * Returns the entries of an accepted change: one in the log of the actor, and one without the actor's key in the log of
 * the organization that was changed, if that is another one.
 */
export function auditEntries(
  command: { readonly id: string; readonly action: string; readonly at: string },
  actor: Actor | null,
  { orgId, targetId }: Change,
): AuditEntry[] {
  const { id, at, action } = command;
  const entries: AuditEntry[] = [];
  if (actor) {
    const { keyId, userId, sandbox } = actor;
    entries.push({ orgId: actor.orgId, id, at, action, keyId, userId, targetId, sandbox });
  }
  if (actor?.orgId !== orgId)
    entries.push({ orgId, id, at, action, keyId: null, userId: null, targetId, sandbox: false });
  return entries;
}
