import { type Refusal, refused } from './command.ts';
import type { Actor } from './envelope.ts';
import type { ControlState } from './state.ts';

/** Only live keys of the first organization may do anything about organizations (the contract). Null when it is one. */
export function refuseOthersThanOperator(state: ControlState, actor: Actor): Refusal | null {
  if (actor.orgId === state.firstOrganizationId && !actor.sandbox) return null;
  return refused('forbidden_scope', 'only keys of the first organization manage organizations');
}
