import type { DeliveryProgress } from '#schemas/topics/webhooks';

/** How far one partition of `derived.deliveries` is settled, while deliveries are settled in any order. */
export class LowWater {
  /** Unsettled, in the order of their offsets, with when the log took them. */
  private readonly unsettled = new Map<number, number>();
  private newest: DeliveryProgress | null = null;

  /** A delivery was read; in the order of the partition. */
  read({ offset, appendedAt }: DeliveryProgress, isSettled: boolean): void {
    this.newest = { offset, appendedAt };
    if (!isSettled) this.unsettled.set(offset, appendedAt);
  }

  settled(offset: number): void {
    this.unsettled.delete(offset);
  }

  /** The first delivery that is not settled, or the last one; null when none was read. */
  progress(): DeliveryProgress | null {
    for (const [offset, appendedAt] of this.unsettled) return { offset, appendedAt };
    return this.newest;
  }
}
