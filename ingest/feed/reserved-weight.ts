/** The weight of several requests that is reserved before the first of them is sent. */
import type { Budget } from './budget.ts';
import type { AcquireOptions, Reservation } from './budget-options.ts';
import { type ReserveOptions, reserveInTime } from './reserve-in-time.ts';

/** The part of a budget that an `HttpClient` uses. */
export type SpendableBudget = Pick<Budget, 'acquire' | 'blockFor' | 'reserve' | 'untilRoomMs'>;

/** A budget whose first costs are paid by one reservation; what exceeds it, such as a retry, waits for room of its own. */
export class ReservedWeight implements SpendableBudget {
  private readonly budget: SpendableBudget;
  private readonly reservation: Reservation;
  private left: number;
  private spent = 0;

  private constructor(budget: SpendableBudget, reservation: Reservation, weight: number) {
    this.budget = budget;
    this.reservation = reservation;
    this.left = weight;
  }

  /** Rejects like `reserveInTime`. */
  static async open(budget: SpendableBudget, weight: number, options: ReserveOptions): Promise<ReservedWeight> {
    return new ReservedWeight(budget, await reserveInTime(budget, weight, options), weight);
  }

  async reserve(cost: number, options: AcquireOptions = {}): Promise<Reservation> {
    if (options.signal?.aborted) throw options.signal.reason;
    if (cost > this.left) return this.budget.reserve(cost, options);
    this.left -= cost;
    // One that is never settled counts as a whole.
    this.spent += cost;
    return {
      settle: (used = cost) => {
        this.spent += used - cost;
      },
    };
  }

  async acquire(cost: number, signal?: AbortSignal): Promise<void> {
    (await this.reserve(cost, { signal })).settle();
  }

  blockFor(ms: number): void {
    this.budget.blockFor(ms);
  }

  untilRoomMs(cost: number): number {
    return this.budget.untilRoomMs(cost);
  }

  /** Ends the reservation; what was not spent is free again. Call it once all requests have ended. */
  settle(): void {
    this.reservation.settle(this.spent);
  }
}
