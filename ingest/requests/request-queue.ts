/**
 * Queue of the requests of one kind. Equal requests share a task, organizations take turns, and the number of requests
 * is limited. A task is served as soon as the turn of any organization with a request in it has come. It then uses a turn
 * of each of them: each gets what its own request asks for, and pays for it once.
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
  readonly requests: QueuedRequest[];
  /** The organizations of these requests. More join while it waits or runs. */
  readonly orgIds: Set<string>;
}

interface RunningTask<P> {
  readonly task: Task<P>;
  /** The organizations whose requests waited when it began. One that joins later takes nothing from others. */
  readonly payers: readonly string[];
}

/** A request that waited too long. */
export interface DroppedRequest<P> {
  readonly params: P;
  readonly request: QueuedRequest;
}

export class RequestQueue<P> {
  private readonly limits: QueueLimits;
  /** Waiting tasks, oldest first. */
  private readonly waiting = new Map<string, Task<P>>();
  private readonly running = new Map<string, RunningTask<P>>();
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
    const same = this.running.get(key)?.task ?? this.waiting.get(key);
    if (same) same.requests.push(request);
    else this.waiting.set(key, { key, params, requests: [request], orgIds: new Set([orgId]) });
    same?.orgIds.add(orgId);
    return true;
  }

  /**
   * Returns the next task and counts it as running; null if there is none, or enough are running. It picks among the
   * organizations with the fewest running tasks the one served longest ago, and its oldest task, whoever was the first to
   * request it. The last of the running tasks are for organizations without one, which so never wait for all tasks of
   * another one.
   */
  next(): Task<P> | null {
    const { running: max } = this.limits;
    if (this.running.size >= max) return null;
    const isSpare = this.running.size >= max - Math.floor(max * SPARE_SHARE);
    let chosen: Task<P> | null = null;
    let [fewest, earliest] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (const task of this.waiting.values())
      for (const orgId of task.orgIds) {
        const running = this.runningCounts.of(orgId);
        if (isSpare && running > 0) continue;
        const turn = this.served.get(orgId) ?? 0;
        if (running > fewest || (running === fewest && turn >= earliest)) continue;
        [chosen, fewest, earliest] = [task, running, turn];
      }
    if (!chosen) return null;
    const payers = [...chosen.orgIds];
    this.waiting.delete(chosen.key);
    this.running.set(chosen.key, { task: chosen, payers });
    this.turn += 1;
    for (const orgId of payers) {
      this.runningCounts.add(orgId, 1);
      this.recordTurn(orgId);
    }
    return chosen;
  }

  private recordTurn(orgId: string): void {
    this.served.delete(orgId);
    this.served.set(orgId, this.turn);
    // Bounded by the number that can wait at once. A dropped organization was served before all of those.
    const [oldest] = this.served.keys();
    if (this.served.size > this.limits.total) this.served.delete(oldest!);
  }

  /** Ends a task. A later equal request starts another. */
  end(task: Task<P>): void {
    for (const orgId of this.running.get(task.key)!.payers) this.runningCounts.add(orgId, -1);
    this.running.delete(task.key);
    for (const { orgId } of task.requests) this.requestCounts.add(orgId, -1);
  }

  /** Removes the waiting requests from before this moment (unix ms), and returns them. */
  dropOlderThan(moment: number): DroppedRequest<P>[] {
    const dropped: DroppedRequest<P>[] = [];
    for (const [key, task] of [...this.waiting]) {
      const { params } = task;
      const remaining = task.requests.filter(({ receivedAt }) => receivedAt >= moment);
      if (remaining.length === task.requests.length) continue;
      for (const request of task.requests) if (request.receivedAt < moment) dropped.push({ params, request });
      if (remaining.length === 0) this.waiting.delete(key);
      // It stays at its place, for the organizations that still wait for it.
      else this.waiting.set(key, { key, params, requests: remaining, orgIds: orgIdsOf(remaining) });
    }
    for (const { request } of dropped) this.requestCounts.add(request.orgId, -1);
    return dropped;
  }
}

const orgIdsOf = (requests: readonly QueuedRequest[]) => new Set(requests.map(({ orgId }) => orgId));

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
