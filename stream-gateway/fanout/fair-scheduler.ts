export interface FairSlotsOptions {
  /** Works at a time. */
  readonly max: number;
  /** Works of one owner at a time. */
  readonly maxPerOwner: number;
}

/** So much work at a time. Owners that wait get their turns in a ring, however much each of them has asked for. */
export class FairSlots<Owner> {
  private readonly max: number;
  private readonly maxPerOwner: number;
  /** What waits, by owner; the owner whose turn comes first is first. */
  private readonly waiting = new Map<Owner, (() => void)[]>();
  private readonly runningOf = new Map<Owner, number>();
  private running = 0;

  constructor({ max, maxPerOwner }: FairSlotsOptions) {
    this.max = max;
    this.maxPerOwner = maxPerOwner;
  }

  /** Does the work when it is its turn. The queue is as long as callers make it: they must bound what they ask for. */
  async run<T>(owner: Owner, work: () => Promise<T>): Promise<T> {
    await new Promise<void>((begin) => {
      const queue = this.waiting.get(owner);
      if (queue) queue.push(begin);
      else this.waiting.set(owner, [begin]);
      this.fill();
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
    this.fill();
  }

  private fill(): void {
    while (this.running < this.max) {
      const owner = this.nextOwner();
      if (owner === null) return;
      const queue = this.waiting.get(owner.value)!;
      const begin = queue.shift()!;
      // To the end of the ring, until it is its turn again.
      this.waiting.delete(owner.value);
      if (queue.length > 0) this.waiting.set(owner.value, queue);
      this.runningOf.set(owner.value, (this.runningOf.get(owner.value) ?? 0) + 1);
      this.running += 1;
      begin();
    }
  }

  /** At most `max / maxPerOwner` owners have all they may: the search passes over no more than those. */
  private nextOwner(): { readonly value: Owner } | null {
    for (const value of this.waiting.keys()) if ((this.runningOf.get(value) ?? 0) < this.maxPerOwner) return { value };
    return null;
  }
}
