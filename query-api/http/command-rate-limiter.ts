/**
 * How many commands an organization may send. Each stands in `control.commands` for good, a refused one too, and the
 * routes that send them have no quota: without a bound one key could fill the disk.
 */
import { LRUCache } from 'lru-cache';
import { ApiError } from '#schemas/errors';

export interface CommandLimits {
  /** Sustained. */
  readonly perSecond: number;
  /** At once, after a rest. */
  readonly burst: number;
}

/** Of one organization on one node. */
export const COMMAND_LIMITS: CommandLimits = { perSecond: 50, burst: 500 };

/** Organizations counted; one that falls out has sent nothing for longer than all others, and begins anew. */
const COUNTED_MAX = 10_000;
const SECOND_MS = 1_000;

interface Bucket {
  /** Commands that may be sent now, with fractions. */
  readonly left: number;
  /** When that was so, ms. */
  readonly at: number;
}

/** A token bucket for each organization. */
export class CommandRate {
  private readonly limits: CommandLimits;
  private readonly now: () => number;
  private readonly buckets = new LRUCache<string, Bucket>({ max: COUNTED_MAX });

  /** @param now monotonic ms. */
  constructor(limits: CommandLimits = COMMAND_LIMITS, now: () => number = () => performance.now()) {
    this.limits = limits;
    this.now = now;
  }

  /** Counts a command. Throws 429 `quota_exceeded` where the organization has sent too many. */
  take(orgId: string): void {
    const { perSecond, burst } = this.limits;
    const at = this.now();
    const before = this.buckets.get(orgId) ?? { left: burst, at };
    const left = Math.min(burst, before.left + ((at - before.at) / SECOND_MS) * perSecond);
    if (left < 1)
      throw new ApiError('quota_exceeded', `too many changes of the organization; it may make ${perSecond} a second`, {
        retryAfterSeconds: Math.ceil((1 - left) / perSecond),
      });
    this.buckets.set(orgId, { left: left - 1, at });
  }
}
