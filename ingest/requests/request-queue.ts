/**
 * Queue of the requests of one kind. Equal requests share a task, organizations take turns, and the number of requests
 * is limited.
 */

/** The part of the running tasks that is for organizations without one. */
const SPARE_SHARE = 0.25;

export interface QueueLimits {
  /** Waiting and running requests, of one organization and of all. */
  readonly perOrganization: number;
  readonly total: number;
  /** Tasks at once. */
  readonly running: number;
}

export interface QueuedRequest {
  readonly id: string;
  readonly orgId: string;
  /** Unix ms. */
  readonly receivedAt: number;
}

/** One execution, for all equal requests. */
export interface Task<P> {
  readonly key: string;
  readonly params: P;
  /** The organization whose turn it uses: that of the first request. */
  readonly orgId: string;
  readonly requests: QueuedRequest[];
}

export class RequestQueue<P> {
  private readonly limits: QueueLimits;
  /** Waiting tasks, oldest first. */
  private readonly waiting = new Map<string, Task<P>>();
  private readonly running = new Map<string, Task<P>>();
  /** Waiting and running requests of each organization. */
  private readonly requestCounts = new Counts();
  private readonly runningCounts = new Counts();
  /** The turn in which an organization was last served, oldest first; a missing organization was never served. */
  private readonly served = new Map<string, number>();
  private turn = 0;

  constructor(limits: QueueLimits) {
    this.limits = limits;
  }

  /** Adds a request. A request equal to a waiting or running task joins it. Returns false if too many are queued. */
  add(key: string, params: P, request: QueuedRequest): boolean {
    const { orgId } = request;
    if (this.requestCounts.total >= this.limits.total) return false;
    if (this.requestCounts.of(orgId) >= this.limits.perOrganization) return false;
    this.requestCounts.add(orgId, 1);
    const same = this.running.get(key) ?? this.waiting.get(key);
    if (same) same.requests.push(request);
    else this.waiting.set(key, { key, params, orgId, requests: [request] });
    return true;
  }

  /**
   * Returns the next task and counts it as running; null if there is none, or enough are running. It picks among the
   * organizations with the fewest running tasks the one served longest ago, and its oldest task. The last of the running
   * tasks are for organizations without one, which so never wait for all tasks of another one.
   */
  next(): Task<P> | null {
    const { running: max } = this.limits;
    if (this.running.size >= max) return null;
    const isSpare = this.running.size >= max - Math.floor(max * SPARE_SHARE);
    let chosen: Task<P> | null = null;
    let [fewest, earliest] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (const task of this.waiting.values()) {
      const running = this.runningCounts.of(task.orgId);
      if (isSpare && running > 0) continue;
      const turn = this.served.get(task.orgId) ?? 0;
      if (running > fewest || (running === fewest && turn >= earliest)) continue;
      [chosen, fewest, earliest] = [task, running, turn];
    }
    if (!chosen) return null;
    this.waiting.delete(chosen.key);
    this.running.set(chosen.key, chosen);
    this.runningCounts.add(chosen.orgId, 1);
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

  /** Ends a task. A later equal request starts another. */
  end(task: Task<P>): void {
    this.running.delete(task.key);
    this.runningCounts.add(task.orgId, -1);
    for (const { orgId } of task.requests) this.requestCounts.add(orgId, -1);
  }

  /** Removes the waiting requests from before this moment (unix ms), and returns them. */
  dropOlderThan(moment: number): QueuedRequest[] {
    const dropped: QueuedRequest[] = [];
    for (const [key, task] of [...this.waiting]) {
      const remaining = task.requests.filter(({ receivedAt }) => receivedAt >= moment);
      dropped.push(...task.requests.filter(({ receivedAt }) => receivedAt < moment));
      if (remaining.length === 0) this.waiting.delete(key);
      else task.requests.splice(0, task.requests.length, ...remaining);
    }
    for (const { orgId } of dropped) this.requestCounts.add(orgId, -1);
    return dropped;
  }
}

/** Counts by organization, without entries for zero. */
class Counts {
  total = 0;
  private readonly counts = new Map<string, number>();

  of(orgId: string): number {
    return this.counts.get(orgId) ?? 0;
  }

  add(orgId: string, change: number): void {
    const count = this.of(orgId) + change;
    this.total += change;
    if (count === 0) this.counts.delete(orgId);
    else this.counts.set(orgId, count);
  }
}
