import { hashOf, STREAM } from './hash.ts';
import type { QuestionSlot } from './question-slots.ts';
import { SECOND_MS } from './time.ts';

/**
 * How a question of venue_b comes to its result (venue page, section 8):
 * `automatic`: the price resolver tells it, nothing else happens. `undisputed`: proposed, and settled when the liveness
 * is over. `disputed`: the first proposal is wrong and disputed, which resets the question; the second one stands.
 * `voted`: the second proposal is disputed too, and a vote of the token holders decides.
 */
export type SettlementKind = 'automatic' | 'undisputed' | 'disputed' | 'voted';

/** What one transaction of a story does. `request` is 0 for the request made at listing, 1 for the one of the reset. */
export interface SettlementStep {
  readonly kind: 'propose' | 'dispute_and_reset' | 'dispute' | 'settle' | 'settle_and_resolve' | 'resolve' | 'redeem';
  readonly request: 0 | 1;
  /** Unix ms, a whole second. */
  readonly atMs: number;
  /** Whether the price that the step tells is the true one; a settled one that is not is told as "ignore". */
  readonly isTrue: boolean;
}

export interface SettlementPlan {
  readonly kind: SettlementKind;
  /** In order of time. */
  readonly steps: readonly SettlementStep[];
  /** When the result stands, unix ms. */
  readonly resolvedAtMs: number;
}

/** How long a proposal can be disputed. Two hours on the venue; minutes here, so that stories end within a run. */
export const LIVENESS_MS = 180 * SECOND_MS;
/** Everything that a story tells happens within this time after the expiry, unless its settlement is delayed on purpose. */
export const LONGEST_SETTLEMENT_MS = 2_100 * SECOND_MS;
/** Accounts that redeem, at most. */
const MAX_REDEMPTIONS = 3;

/** Daily questions are decided by the oracle, of the hourly ones one in four; the others by the price resolver. */
export function settlementKindOf(seed: number, slot: QuestionSlot, generation: number): SettlementKind {
  const chance = hashOf(seed, STREAM.story, generation * 65_536 + slot.index);
  if (slot.cadence === 'hourly' && chance % 4 !== 0) return 'automatic';
  const fate = (chance >>> 8) % 16;
  if (fate === 0) return 'voted';
  return fate < 5 ? 'disputed' : 'undisputed';
}

/** The story of a question that expires at a moment: a function of seed and question. */
export function settlementPlanOf(seed: number, slot: QuestionSlot, generation: number, expiresAtMs: number): SettlementPlan {
  const kind = settlementKindOf(seed, slot, generation);
  const steps: SettlementStep[] = [];
  let atMs = expiresAtMs;
  /** The next step, this many seconds after the one before it. */
  const step = (what: SettlementStep['kind'], request: 0 | 1, isTrue: boolean, least: number, spread: number): void => {
    const chance = hashOf(seed, STREAM.story, generation * 65_536 + slot.index, 1 + steps.length);
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
      // The disputed first request is settled too: nobody is paid for it.
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

/** The same story, everything in it later. */
export function delayPlan(story: SettlementPlan, delayMs: number): SettlementPlan {
  const steps = story.steps.map((step) => ({ ...step, atMs: step.atMs + delayMs }));
  return { ...story, steps, resolvedAtMs: story.resolvedAtMs + delayMs };
}
