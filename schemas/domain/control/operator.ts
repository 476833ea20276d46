import { type Refusal, refused } from './decision.ts';
import type { Actor } from './envelope.ts';
import type { ControlState } from './state.ts';

/**
 * Refuses any actor but a live key of the first organization; else null.
 * @param action what only such keys may do.
 */
export function refuseUnlessOperator(
  state: ControlState,
  actor: Actor,
  action = 'manage organizations',
): Refusal | null {
  if (actor.orgId === state.firstOrganizationId && !actor.sandbox) return null;
  return refused('forbidden_scope', `only keys of the first organization ${action}`);
}
