import { hashOf, STREAM } from './hash.ts';
import type { QuestionSlot } from './question-slots.ts';
import { SECOND_MS } from './time.ts';

/**
 * How a question of venue_b is settled (venue page, section 8).
 * - `automatic`: the price resolver reports the result.
 * - `undisputed`: a proposal is settled after the liveness period.
 * - `disputed`: the first proposal is wrong and disputed, which resets the question; the second one is settled.
 * - `voted`: the second proposal is disputed, too, and a vote of the token holders decides.
 */
export type SettlementKind = 'automatic' | 'undisputed' | 'disputed' | 'voted';

/** One transaction of a settlement. `request` is 0 for the request at listing, 1 for that of the reset. */
export interface SettlementStep {
  readonly kind: 'propose' | 'dispute_and_reset' | 'dispute' | 'settle' | 'settle_and_resolve' | 'resolve' | 'redeem';
  readonly request: 0 | 1;
  /** Unix ms, a whole second. */
  readonly atMs: number;
  /** True if the step's price is the correct one; a settled request without it has the price "ignore". */
  readonly isTrue: boolean;
}

export interface SettlementPlan {
  readonly kind: SettlementKind;
  /** In order of time. */
  readonly steps: readonly SettlementStep[];
  /** Time of the result, unix ms. */
  readonly resolvedAtMs: number;
}

/**
 * Time in which a proposal can be disputed. Two hours on the venue; minutes here, so that settlements end within a run.
 */
export const LIVENESS_MS = 180 * SECOND_MS;
/** Every step happens within this time after the expiry, unless a delay is injected. */
export const LONGEST_SETTLEMENT_MS = 2_100 * SECOND_MS;
/** Most accounts that redeem. */
const MAX_REDEMPTIONS = 3;

/** The oracle resolves daily questions and one in four hourly ones; the price resolver resolves the others. */
function settlementKindOf(seed: number, slot: QuestionSlot, generation: number): SettlementKind {
  const chance = hashOf(seed, STREAM.settlementPlan, generation * 65_536 + slot.index);
  if (slot.cadence === 'hourly' && chance % 4 !== 0) return 'automatic';
  const fate = (chance >>> 8) % 16;
  if (fate === 0) return 'voted';
  return fate < 5 ? 'disputed' : 'undisputed';
}

/** Plans the settlement of a question, a function of seed and question. */
export function settlementPlanOf(
  seed: number,
  slot: QuestionSlot,
  generation: number,
  expiresAtMs: number,
): SettlementPlan {
  const kind = settlementKindOf(seed, slot, generation);
  const steps: SettlementStep[] = [];
  let atMs = expiresAtMs;
  /** Adds a step, `least` to `least + spread` seconds after the previous one. */
  const step = (what: SettlementStep['kind'], request: 0 | 1, isTrue: boolean, least: number, spread: number): void => {
    const chance = hashOf(seed, STREAM.settlementPlan, generation * 65_536 + slot.index, 1 + steps.length);
    atMs += (least + (chance % spread)) * SECOND_MS;
    steps.push({ kind: what, request, atMs, isTrue });
  };
  const liveness = LIVENESS_MS / SECOND_MS;
  if (kind === 'automatic') step('resolve', 0, true, 16, 45);
  else {
    step('propose', 0, kind === 'undisputed', 20, 100);
    if (kind === 'undisputed') step('settle_and_resolve', 0, true, liveness + 4, 36);
    else {
      step('dispute_and_reset', 0, false, 20, 100);
      step('propose', 1, true, 20, 60);
      if (kind === 'voted') step('dispute', 1, true, 20, 100);
      // The disputed first request is settled, too, without a reward.
      step('settle', 0, false, 24, 60);
      if (kind === 'disputed') step('settle_and_resolve', 1, true, liveness, 36);
      else {
        step('settle', 1, true, 400, 400);
        step('resolve', 1, true, 10, 30);
      }
    }
  }
  const resolvedAtMs = atMs;
  const redeemers = kind === 'automatic' ? 0 : 1 + ((generation + slot.index) % MAX_REDEMPTIONS);
  for (let nth = 0; nth < redeemers; nth += 1) step('redeem', 0, true, 15, 90);
  return { kind, steps, resolvedAtMs };
}

/** Returns the plan with every step delayed. */
export function delayPlan(plan: SettlementPlan, delayMs: number): SettlementPlan {
  const steps = plan.steps.map((step) => ({ ...step, atMs: step.atMs + delayMs }));
  return { ...plan, steps, resolvedAtMs: plan.resolvedAtMs + delayMs };
}
