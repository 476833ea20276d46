import type { Change } from './command.ts';
import type { Actor } from './envelope.ts';

/** One line of an organization's audit log. */
export interface AuditEntry {
  /** Whose log it stands in; not part of what `GET /v1/me/audit-log` lists. */
  readonly orgId: string;
  /** The command. Unique within the organization's log. */
  readonly id: string;
  /** ISO-8601. */
  readonly at: string;
  /** As `me.platform_attribution.create`. */
  readonly action: string;
  /** Null for what the service did by itself, and for what an operator did to another organization. */
  readonly keyId: string | null;
  readonly userId: string | null;
  readonly targetId: string;
  /** Whether a sandbox key asked, so that what changed is of the sandbox's set. */
  readonly sandbox: boolean;
}

/**
 * The entries of an accepted change: one in the log of who asked, and one in the log of the organization it was done
 * to, which does not learn whose key did it.
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
