/**
 * Limits how many commands an organization may send. Every command is stored in `control.commands` forever, refused
 * ones included, and some routes that send commands have no quota: without a limit one key could fill the disk.
 */
import { LRUCache } from 'lru-cache';
import { ApiError } from '#schemas/errors';

export interface CommandLimits {
  /** Sustained rate. */
  readonly perSecond: number;
  /** Commands that may be sent at once after an idle period. */
  readonly burst: number;
}

/** Limits of one organization on one node. */
export const COMMAND_LIMITS: CommandLimits = { perSecond: 50, burst: 500 };

/** Organizations with a bucket. The least recently active one is evicted, and starts again with a full bucket. */
const ORGANIZATIONS_MAX = 10_000;
const SECOND_MS = 1_000;

interface Bucket {
  /** Commands that could be sent at the time `at`, with fractions. */
  readonly left: number;
  /** Monotonic ms. */
  readonly at: number;
}

/** A token bucket per organization. */
export class CommandRateLimiter {
  private readonly limits: CommandLimits;
  private readonly now: () => number;
  private readonly buckets = new LRUCache<string, Bucket>({ max: ORGANIZATIONS_MAX });

  /** @param now monotonic ms. */
  constructor(limits: CommandLimits = COMMAND_LIMITS, now: () => number = () => performance.now()) {
    this.limits = limits;
    this.now = now;
  }

  /** Counts a command. Throws 429 `quota_exceeded` if the organization has sent too many. */
  consume(orgId: string): void {
    const { perSecond, burst } = this.limits;
    const at = this.now();
    const before = this.buckets.get(orgId) ?? { left: burst, at };
    const left = Math.min(burst, before.left + ((at - before.at) / SECOND_MS) * perSecond);
    if (left < 1)
      throw new ApiError(
        'quota_exceeded',
        `too many changes by the organization; ${perSecond} per second are allowed`,
        {
          retryAfterSeconds: Math.ceil((1 - left) / perSecond),
        },
      );
    this.buckets.set(orgId, { left: left - 1, at });
  }
}
