/** When a delivery is tried again, and what an attempt means for the delivery and its webhook. Pure. */
import type { Outcome } from '#infra/outbound/outcome';

/** Of each delay, added at random so that what failed together does not come back together. */
const JITTER_MAX = 0.2;
const GONE = 410;

/** Milliseconds before each attempt, the first one included; its length is how many attempts there are. */
export type Schedule = readonly number[];

/** Reads `PARALLAX_WEBHOOK_SCHEDULE`: seconds, separated by commas. */
export function parseSchedule(text: string): Schedule {
  return text.split(',').map((seconds) => Math.round(Number(seconds) * 1_000));
}

/** What follows from an attempt. */
export type Consequence =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'retry'; readonly afterMs: number }
  | { readonly kind: 'failed'; readonly disable: 'gone' | 'failing' };

/**
 * What follows from attempt number `attempt` (from 1). 2xx delivers; 410 fails the delivery at once and disables the
 * webhook as `gone`; everything else, 3xx too, is tried again until the schedule ends, and then disables it as `failing`.
 */
export function consequenceOf(
  schedule: Schedule,
  attempt: number,
  outcome: Outcome,
  random: () => number = Math.random,
): Consequence {
  const status = 'status' in outcome ? outcome.status : null;
  if (status !== null && status >= 200 && status < 300) return { kind: 'delivered' };
  if (status === GONE) return { kind: 'failed', disable: 'gone' };
  if (attempt >= schedule.length) return { kind: 'failed', disable: 'failing' };
  const retryAfterMs = ('status' in outcome ? outcome.retryAfterMs : null) ?? 0;
  return { kind: 'retry', afterMs: Math.max(delayMs(schedule, attempt, random), retryAfterMs) };
}

/** Milliseconds to wait after so many attempts (from 0), with up to 20 % added. */
export function delayMs(schedule: Schedule, attempts: number, random: () => number = Math.random): number {
  return Math.round(schedule[attempts]! * (1 + JITTER_MAX * random()));
}
