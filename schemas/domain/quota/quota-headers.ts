/** Quota headers of a response (specification, Limits 2; contract: `RateLimit` of the IETF draft 10). */
import type { Sku } from './sku.ts';
import type { QuotaWindow } from './usage-counts.ts';

const WINDOW_SECONDS = { minute: 60, day: 86_400 } as const;

/**
 * Returns names and values in turn. `windows` starts with the one that has the least left, which `X-Quota-*` reports;
 * without a window (an unlimited SKU) only the SKU is reported.
 */
export function quotaHeaders(sku: Sku, windows: readonly QuotaWindow[], now: number): string[] {
  const headers = ['x-quota-sku', sku];
  const [least] = windows;
  if (!least) return headers;
  headers.push('x-quota-limit', String(least.limit));
  headers.push('x-quota-remaining', String(least.remaining));
  headers.push('x-quota-reset', String(least.endsAt / 1_000));
  const name = (window: QuotaWindow) => `"${sku}/${window.name}"`;
  const policies = windows.map((window) => `${name(window)};q=${window.limit};w=${WINDOW_SECONDS[window.name]}`);
  const limits = windows.map((window) => `${name(window)};r=${window.remaining};t=${secondsUntil(window.endsAt, now)}`);
  headers.push('ratelimit-policy', policies.join(', '), 'ratelimit', limits.join(', '));
  return headers;
}

/** Whole seconds, rounded up and at least one: a client that waits so long finds the window ended. */
export function secondsUntil(endsAt: number, now: number): number {
  return Math.max(1, Math.ceil((endsAt - now) / 1_000));
}
