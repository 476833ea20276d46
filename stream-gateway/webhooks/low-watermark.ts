import type { DeliveryProgress } from '#schemas/topics/webhooks';

/** Tracks up to where one partition of `derived.deliveries` is finished, while deliveries are finished in any order. */
export class LowWatermark {
  /** Append times of unfinished deliveries, in the order of their offsets. */
  private readonly unfinished = new Map<number, number>();
  private newest: DeliveryProgress | null = null;

  /** Adds a delivery that was read, in the order of the partition. */
  add({ offset, appendedAt }: DeliveryProgress, isFinished: boolean): void {
    this.newest = { offset, appendedAt };
    if (!isFinished) this.unfinished.set(offset, appendedAt);
  }

  finish(offset: number): void {
    this.unfinished.delete(offset);
  }

  /** The first delivery that is not finished, or the last one; null when none was read. */
  progress(): DeliveryProgress | null {
    for (const [offset, appendedAt] of this.unfinished) return { offset, appendedAt };
    return this.newest;
  }
}
