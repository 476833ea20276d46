import { type Refusal, refused } from './decision.ts';
import type { Actor } from './envelope.ts';
import type { ControlState } from './state.ts';

/** Refuses any actor but a live key of the first organization, which alone manages organizations (contract); else null. */
export function refuseUnlessOperator(state: ControlState, actor: Actor): Refusal | null {
  if (actor.orgId === state.firstOrganizationId && !actor.sandbox) return null;
  return refused('forbidden_scope', 'only keys of the first organization manage organizations');
}
