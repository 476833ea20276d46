/** Counts what REST serves against the quotas of organizations (specification, Limits). */
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
  /** Unix ms by the wall clock: windows are UTC minutes and days. */
  readonly now: () => number;
}

export class Meter {
  private readonly options: MeterOptions;

  constructor(options: MeterOptions) {
    this.options = options;
  }

  /** Takes a unit for a request, to be ended exactly once by `end`; false where none is left. */
  take({ id, plan }: Organization, sku: RestSku): boolean {
    const { counts, quotas, now } = this.options;
    return counts.reserve(id, sku, quotas[plan][sku], now());
  }

  /** Ends what `take` began: a success counts, a failure does not. Gives the headers that say what is left. */
  end({ id, plan }: Organization, sku: RestSku, isSuccess: boolean): HeaderList {
    const { counts, quotas, now } = this.options;
    const at = now();
    counts.settle(id, sku, isSuccess, at);
    return quotaHeaders(sku, counts.windows(id, sku, quotas[plan][sku], at), at);
  }

  /** What is left, for an answer that took no unit. */
  headers({ id, plan }: Organization, sku: RestSku): HeaderList {
    const { counts, quotas, now } = this.options;
    const at = now();
    return quotaHeaders(sku, counts.windows(id, sku, quotas[plan][sku], at), at);
  }

  /** The refusal of a request for which none was left. */
  exceeded({ id, plan }: Organization, sku: RestSku): ApiError {
    const { counts, quotas, now } = this.options;
    const at = now();
    const quota: Quota = quotas[plan][sku];
    const [least] = counts.windows(id, sku, quota, at);
    // Between two looks at the clock the window can have ended.
    const retryAfterSeconds = least && least.remaining === 0 ? secondsUntil(least.endsAt, at) : 1;
    return new ApiError('quota_exceeded', `the quota of ${sku} is exhausted`, { retryAfterSeconds });
  }
}
