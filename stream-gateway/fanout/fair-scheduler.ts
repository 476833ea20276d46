export interface FairSchedulerOptions {
  /** Tasks that run at a time. */
  readonly max: number;
  /** Tasks of one owner that run at a time. */
  readonly maxPerOwner: number;
}

/**
 * Bounds how many tasks run at a time. Waiting owners get their turns round robin, however many tasks each of them has.
 */
export class FairScheduler<Owner> {
  private readonly max: number;
  private readonly maxPerOwner: number;
  /** Waiting tasks by owner; the owner with the next turn is first. */
  private readonly waiting = new Map<Owner, (() => void)[]>();
  private readonly runningOf = new Map<Owner, number>();
  private running = 0;

  constructor({ max, maxPerOwner }: FairSchedulerOptions) {
    this.max = max;
    this.maxPerOwner = maxPerOwner;
  }

  /** Runs a task when it is its turn. The queue has no bound: callers must limit how many tasks they submit. */
  async run<T>(owner: Owner, work: () => Promise<T>): Promise<T> {
    await new Promise<void>((start) => {
      const queue = this.waiting.get(owner);
      if (queue) queue.push(start);
      else this.waiting.set(owner, [start]);
      this.startWaiting();
    });
    try {
      return await work();
    } finally {
      this.release(owner);
    }
  }

  private release(owner: Owner): void {
    const left = this.runningOf.get(owner)! - 1;
    if (left > 0) this.runningOf.set(owner, left);
    else this.runningOf.delete(owner);
    this.running -= 1;
    this.startWaiting();
  }

  private startWaiting(): void {
    while (this.running < this.max) {
      const owner = this.nextOwner();
      if (owner === null) return;
      const queue = this.waiting.get(owner.value)!;
      const start = queue.shift()!;
      // The owner moves to the end of the ring.
      this.waiting.delete(owner.value);
      if (queue.length > 0) this.waiting.set(owner.value, queue);
      this.runningOf.set(owner.value, (this.runningOf.get(owner.value) ?? 0) + 1);
      this.running += 1;
      start();
    }
  }

  /** At most `max / maxPerOwner` owners are at their limit, so the search skips no more than those. */
  private nextOwner(): { readonly value: Owner } | null {
    for (const value of this.waiting.keys()) if ((this.runningOf.get(value) ?? 0) < this.maxPerOwner) return { value };
    return null;
  }
}
