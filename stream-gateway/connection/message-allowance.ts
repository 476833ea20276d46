/**
 * How many event frames organizations may still be sent (specification, Limits; the contract: `ws.message`). Every
 * connection of an organization on this node counts down one allowance, so that nothing is looked up for a frame; what
 * was sent is told to the usage of the organization every `REFRESH_MS`, and what is left is asked for again then. Exact
 * on one node; a cluster can overshoot by what its nodes send within that time and the way of a record.
 */
import type { Plan } from '#schemas/domain/control/state';
import type { PlanQuotas } from '#schemas/domain/quota/plan-quotas';
import type { UsageCounts } from '#schemas/domain/quota/usage-counts';

const SKU = 'ws.message';
const REFRESH_MS = 100;

/** What the connections of one organization share. */
export interface MessageAllowance {
  /** Event frames that may still be sent; Infinity is unlimited. Counted down by whoever sends. */
  left: number;
  /** Sent since the usage was told of it. */
  sent: number;
}

export interface MessageAllowancesOptions {
  readonly counts: UsageCounts;
  readonly quotas: PlanQuotas;
  /** Undefined for an organization that is gone. */
  readonly planOf: (orgId: string) => Plan | undefined;
  /** Wall time, unix ms: windows are UTC minutes and days. */
  readonly now: () => number;
}

export class MessageAllowances {
  private readonly options: MessageAllowancesOptions;
  /** By organization; bounded by those that were connected. */
  private readonly allowances = new Map<string, MessageAllowance>();
  private timer: NodeJS.Timeout | undefined;

  constructor(options: MessageAllowancesOptions) {
    this.options = options;
  }

  start(): void {
    this.timer = setInterval(() => this.refresh(), REFRESH_MS);
  }

  /** Tells what was sent last. */
  close(): void {
    clearInterval(this.timer);
    this.refresh();
  }

  /** The allowance of an organization, the same for all of its connections. */
  of(orgId: string): MessageAllowance {
    let allowance = this.allowances.get(orgId);
    if (!allowance) {
      allowance = { left: this.leftOf(orgId), sent: 0 };
      this.allowances.set(orgId, allowance);
    }
    return allowance;
  }

  /** Tells what was sent and takes over what is left; a window that ended since has begun anew. */
  refresh(): void {
    const { counts, now } = this.options;
    for (const [orgId, allowance] of this.allowances) {
      if (allowance.sent > 0) counts.add(orgId, SKU, allowance.sent, now());
      allowance.sent = 0;
      allowance.left = this.leftOf(orgId);
    }
  }

  private leftOf(orgId: string): number {
    const { counts, quotas, planOf, now } = this.options;
    const plan = planOf(orgId);
    // Its keys are refused and its sockets closed; until then nothing is sent.
    if (plan === undefined) return 0;
    const [least] = counts.windows(orgId, SKU, quotas[plan][SKU], now());
    return least ? least.remaining : Number.POSITIVE_INFINITY;
  }
}
