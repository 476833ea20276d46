/** Which backfill is looked up next: equal ones together, organizations in turn, and no more than can be waited for. */
import type { Backfill } from '#schemas/topics/backfills';

export interface QueueLimits {
  /** Requests that wait or are worked on, of one organization and of all. */
  readonly perOrganization: number;
  readonly total: number;
  /** Scans at once. */
  readonly running: number;
}

/** One look at a wallet, for everyone who asked for the same. */
export interface Scan {
  readonly address: string;
  readonly lookbackDays: number;
  /** Whose it is in the order of turns: the first who asked. */
  readonly orgId: string;
  readonly requests: Backfill[];
}

const keyOf = ({ address, lookbackDays }: Pick<Scan, 'address' | 'lookbackDays'>) => `${address} ${lookbackDays}`;

export class BackfillQueue {
  private readonly limits: QueueLimits;
  /** Waiting ones, oldest first. */
  private readonly waiting = new Map<string, Scan>();
  private readonly running = new Map<string, Scan>();
  /** The turn in which an organization was last served, longest ago first; one that is missing was never. */
  private readonly served = new Map<string, number>();
  private turn = 0;

  constructor(limits: QueueLimits) {
    this.limits = limits;
  }

  /** Takes a request in; false when too many wait. One that asks for what waits or runs already joins it. */
  add(request: Backfill): boolean {
    const all = [...this.waiting.values(), ...this.running.values()].flatMap(({ requests }) => requests);
    if (all.length >= this.limits.total) return false;
    if (all.filter(({ orgId }) => orgId === request.orgId).length >= this.limits.perOrganization) return false;
    const { address, lookbackDays, orgId } = request;
    const key = keyOf(request);
    const same = this.running.get(key) ?? this.waiting.get(key);
    if (same) same.requests.push(request);
    else this.waiting.set(key, { address, lookbackDays, orgId, requests: [request] });
    return true;
  }

  /**
   * The next scan to begin, which counts as running from now on; null when there is none, or enough run. Of the
   * organizations with the fewest running ones that was served longest ago, and of its scans the oldest.
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
    this.waiting.delete(keyOf(chosen));
    this.running.set(keyOf(chosen), chosen);
    this.remember(chosen.orgId);
    return chosen;
  }

  private remember(orgId: string): void {
    this.turn += 1;
    this.served.delete(orgId);
    this.served.set(orgId, this.turn);
    // No more organizations than can wait at once; who is forgotten was served before all of those.
    const [oldest] = this.served.keys();
    if (this.served.size > this.limits.total) this.served.delete(oldest!);
  }

  /** Ends a scan; whoever asks from now on begins another. */
  end(scan: Scan): void {
    this.running.delete(keyOf(scan));
  }

  /** Removes the waiting requests that were made before this moment (Unix ms), and gives them. */
  dropOlderThan(moment: number): Backfill[] {
    const dropped: Backfill[] = [];
    for (const [key, scan] of [...this.waiting]) {
      const kept = scan.requests.filter(({ receivedAt }) => receivedAt >= moment);
      dropped.push(...scan.requests.filter(({ receivedAt }) => receivedAt < moment));
      if (kept.length === 0) this.waiting.delete(key);
      else scan.requests.splice(0, scan.requests.length, ...kept);
    }
    return dropped;
  }
}
