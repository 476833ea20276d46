/**
 * How many event frames organizations may still be sent (specification, Limits; the contract: `ws.message`). All
 * connections of an organization on this node count down one allowance, so that no lookup is needed per frame. Every
 * `REFRESH_MS` the sent frames are added to the usage of the organization and the rest is read again. Exact on one
 * node; a cluster can overshoot by what its nodes send within that time and the delay of a record.
 */
import type { Plan } from '#schemas/domain/control/state';
import type { PlanQuotas } from '#schemas/domain/quota/plan-quotas';
import type { UsageCounts } from '#schemas/domain/quota/usage-counts';

const SKU = 'ws.message';
const REFRESH_MS = 100;

/** The allowance that the connections of one organization share. */
export interface MessageAllowance {
  /** Event frames that may still be sent; Infinity is unlimited. The sender counts it down. */
  left: number;
  /** Frames sent since the last update of the usage. */
  sent: number;
}

export interface MessageAllowancesOptions {
  readonly counts: UsageCounts;
  readonly quotas: PlanQuotas;
  /** Undefined for a deleted organization. */
  readonly planOf: (orgId: string) => Plan | undefined;
  /** Wall time, unix ms: windows are UTC minutes and days. */
  readonly now: () => number;
}

export class MessageAllowances {
  private readonly options: MessageAllowancesOptions;
  /** By organization; bounded by the number of organizations that have connections. */
  private readonly shared = new Map<string, { readonly allowance: MessageAllowance; connections: number }>();
  private timer: NodeJS.Timeout | undefined;

  constructor(options: MessageAllowancesOptions) {
    this.options = options;
  }

  start(): void {
    this.timer = setInterval(() => this.refresh(), REFRESH_MS);
  }

  /** Adds what was sent last to the usage. */
  stop(): void {
    clearInterval(this.timer);
    this.refresh();
  }

  /** Number of organizations that have connections. */
  get size(): number {
    return this.shared.size;
  }

  /** The allowance of an organization, the same for all of its connections. Each of them calls `close` at its end. */
  open(orgId: string): MessageAllowance {
    let shared = this.shared.get(orgId);
    if (!shared) {
      shared = { allowance: { left: this.leftOf(orgId), sent: 0 }, connections: 0 };
      this.shared.set(orgId, shared);
    }
    shared.connections += 1;
    return shared.allowance;
  }

  /** Ends the use of an allowance by one connection, which sends nothing any more. */
  close(orgId: string): void {
    const shared = this.shared.get(orgId);
    if (!shared) return;
    shared.connections -= 1;
    if (shared.connections > 0) return;
    this.addUsage(orgId, shared.allowance);
    this.shared.delete(orgId);
  }

  /** Adds what was sent to the usage and reads what is left, which is full again after a window has ended. */
  refresh(): void {
    for (const [orgId, { allowance }] of this.shared) {
      this.addUsage(orgId, allowance);
      allowance.left = this.leftOf(orgId);
    }
  }

  private addUsage(orgId: string, allowance: MessageAllowance): void {
    const { counts, now } = this.options;
    if (allowance.sent > 0) counts.add(orgId, SKU, allowance.sent, now());
    allowance.sent = 0;
  }

  private leftOf(orgId: string): number {
    const { counts, quotas, planOf, now } = this.options;
    const plan = planOf(orgId);
    // A deleted organization's keys are refused and its sockets closed; until then nothing is sent.
    if (plan === undefined) return 0;
    const [least] = counts.windows(orgId, SKU, quotas[plan][SKU], now());
    return least ? least.remaining : Number.POSITIVE_INFINITY;
  }
}
