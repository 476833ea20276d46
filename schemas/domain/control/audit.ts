import type { AuditEntry, Change } from './decision.ts';
import type { Actor } from './envelope.ts';

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
