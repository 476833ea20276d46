/** Decides when a delivery is retried, and what an attempt means for the delivery and its webhook. Pure. */
import type { Outcome } from '#infra/outbound/outcome';

/** Random part added to each delay, so that deliveries that failed together are not retried together. */
const JITTER_MAX = 0.2;
const GONE = 410;

/** Milliseconds before each attempt, including the first; its length is the number of attempts. */
export type Schedule = readonly number[];

/** Reads `PARALLAX_WEBHOOK_SCHEDULE`: seconds, separated by commas. */
export function parseSchedule(text: string): Schedule {
  return text.split(',').map((seconds) => Math.round(Number(seconds) * 1_000));
}

/** The consequence of an attempt. */
export type Consequence =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'retry'; readonly afterMs: number }
  | { readonly kind: 'failed'; readonly disable: 'gone' | 'failing' };

/**
 * The consequence of attempt number `attempt` (from 1). 2xx delivers; 410 fails the delivery at once and disables the
 * webhook as `gone`; anything else, including 3xx, is retried until the schedule ends, which disables the webhook as
 * `failing`.
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

/** Milliseconds to wait after `attempts` attempts (from 0), with up to 20 % added. */
export function delayMs(schedule: Schedule, attempts: number, random: () => number = Math.random): number {
  return Math.round(schedule[attempts]! * (1 + JITTER_MAX * random()));
}
