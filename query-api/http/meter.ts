/** Counts REST requests against the quotas of organizations (specification, Limits). */
import type { Organization } from '#schemas/domain/control/state';
import type { PlanQuotas, Quota } from '#schemas/domain/quota/plan-quotas';
import { quotaHeaders, secondsUntil } from '#schemas/domain/quota/quota-headers';
import type { RestSku } from '#schemas/domain/quota/sku';
import type { UsageCounts } from '#schemas/domain/quota/usage-counts';
import { ApiError } from '#schemas/errors';
import type { HeaderList } from './send.ts';

export interface MeterOptions {
  readonly counts: UsageCounts;
  readonly quotas: PlanQuotas;
  /** Wall clock, unix ms: windows are UTC minutes and days. */
  readonly now: () => number;
}

export class Meter {
  private readonly options: MeterOptions;

  constructor(options: MeterOptions) {
    this.options = options;
  }

  /** Reserves a unit for a request, to be finished exactly once by `finish`. Returns false if no unit is left. */
  reserve({ id, plan }: Organization, sku: RestSku): boolean {
    const { counts, quotas, now } = this.options;
    return counts.reserve(id, sku, quotas[plan][sku], now());
  }

  /** Finishes a reserved unit: a success counts, a failure returns it. Returns the headers with the remaining quota. */
  finish({ id, plan }: Organization, sku: RestSku, isSuccess: boolean): HeaderList {
    const { counts, quotas, now } = this.options;
    const at = now();
    counts.finish(id, sku, isSuccess, at);
    return quotaHeaders(sku, counts.windows(id, sku, quotas[plan][sku], at), at);
  }

  /** Headers with the remaining quota, for a response that reserved no unit. */
  headers({ id, plan }: Organization, sku: RestSku): HeaderList {
    const { counts, quotas, now } = this.options;
    const at = now();
    return quotaHeaders(sku, counts.windows(id, sku, quotas[plan][sku], at), at);
  }

  /** The error for a request for which no unit was left. */
  quotaExceeded({ id, plan }: Organization, sku: RestSku): ApiError {
    const { counts, quotas, now } = this.options;
    const at = now();
    const quota: Quota = quotas[plan][sku];
    const [least] = counts.windows(id, sku, quota, at);
    // The window can have ended between two readings of the clock.
    const retryAfterSeconds = least && least.remaining === 0 ? secondsUntil(least.endsAt, at) : 1;
    return new ApiError('quota_exceeded', `the quota of ${sku} is exhausted`, { retryAfterSeconds });
  }
}
