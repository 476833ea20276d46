/** Queue of backfills. Equal requests share a scan, organizations take turns, and the number of requests is limited. */
import type { Backfill } from '#schemas/topics/backfills';

export interface QueueLimits {
  /** Waiting and running requests, of one organization and of all. */
  readonly perOrganization: number;
  readonly total: number;
  /** Scans at once. */
  readonly running: number;
}

/** One scan of a wallet, for all equal requests. */
export interface Scan {
  readonly address: string;
  readonly lookbackDays: number;
  /** The organization whose turn it uses: that of the first request. */
  readonly orgId: string;
  readonly requests: Backfill[];
}

/** Names a scan: equal requests share one. */
export const scanKey = ({ address, lookbackDays }: Pick<Scan, 'address' | 'lookbackDays'>) =>
  `${address} ${lookbackDays}`;

export class BackfillQueue {
  private readonly limits: QueueLimits;
  /** Waiting scans, oldest first. */
  private readonly waiting = new Map<string, Scan>();
  private readonly running = new Map<string, Scan>();
  /** The turn in which an organization was last served, oldest first; a missing organization was never served. */
  private readonly served = new Map<string, number>();
  private turn = 0;

  constructor(limits: QueueLimits) {
    this.limits = limits;
  }

  /** Adds a request. A request equal to a waiting or running scan joins it. Returns false if too many are queued. */
  add(request: Backfill): boolean {
    const all = [...this.waiting.values(), ...this.running.values()].flatMap(({ requests }) => requests);
    if (all.length >= this.limits.total) return false;
    if (all.filter(({ orgId }) => orgId === request.orgId).length >= this.limits.perOrganization) return false;
    const { address, lookbackDays, orgId } = request;
    const key = scanKey(request);
    const same = this.running.get(key) ?? this.waiting.get(key);
    if (same) same.requests.push(request);
    else this.waiting.set(key, { address, lookbackDays, orgId, requests: [request] });
    return true;
  }

  /**
   * Returns the next scan and counts it as running; null if there is none, or enough are running. It picks among the
   * organizations with the fewest running scans the one served longest ago, and its oldest scan.
   */
  next(): Scan | null {
    if (this.running.size >= this.limits.running) return null;
    let chosen: Scan | null = null;
    let [fewest, earliest] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (const scan of this.waiting.values()) {
      const running = [...this.running.values()].filter(({ orgId }) => orgId === scan.orgId).length;
      const turn = this.served.get(scan.orgId) ?? 0;
      if (running > fewest || (running === fewest && turn >= earliest)) continue;
      [chosen, fewest, earliest] = [scan, running, turn];
    }
    if (!chosen) return null;
    this.waiting.delete(scanKey(chosen));
    this.running.set(scanKey(chosen), chosen);
    this.recordTurn(chosen.orgId);
    return chosen;
  }

  private recordTurn(orgId: string): void {
    this.turn += 1;
    this.served.delete(orgId);
    this.served.set(orgId, this.turn);
    // Bounded by the number that can wait at once. A dropped organization was served before all of those.
    const [oldest] = this.served.keys();
    if (this.served.size > this.limits.total) this.served.delete(oldest!);
  }

  /** Ends a scan. A later equal request starts another. */
  end(scan: Scan): void {
    this.running.delete(scanKey(scan));
  }

  /** Removes the waiting requests from before this moment (unix ms), and returns them. */
  dropOlderThan(moment: number): Backfill[] {
    const dropped: Backfill[] = [];
    for (const [key, scan] of [...this.waiting]) {
      const remaining = scan.requests.filter(({ receivedAt }) => receivedAt >= moment);
      dropped.push(...scan.requests.filter(({ receivedAt }) => receivedAt < moment));
      if (remaining.length === 0) this.waiting.delete(key);
      else scan.requests.splice(0, scan.requests.length, ...remaining);
    }
    return dropped;
  }
}
