import type { DeliveryProgress } from '#schemas/topics/webhooks';

/** Tracks up to where one partition of `derived.deliveries` is settled, while deliveries are settled in any order. */
export class LowWatermark {
  /** Append times of unsettled deliveries, in the order of their offsets. */
  private readonly unsettled = new Map<number, number>();
  private newest: DeliveryProgress | null = null;

  /** Adds a delivery that was read, in the order of the partition. */
  add({ offset, appendedAt }: DeliveryProgress, isSettled: boolean): void {
    this.newest = { offset, appendedAt };
    if (!isSettled) this.unsettled.set(offset, appendedAt);
  }

  settle(offset: number): void {
    this.unsettled.delete(offset);
  }

  /** The first delivery that is not settled, or the last one; null when none was read. */
  progress(): DeliveryProgress | null {
    for (const [offset, appendedAt] of this.unsettled) return { offset, appendedAt };
    return this.newest;
  }
}
