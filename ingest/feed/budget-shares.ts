/**
 * Counts what was spent of each part of a limit, and finds where there is room (`Reserved` in `budget-options.ts` has a
 * picture).
 */
import type { Reserved } from './budget-options.ts';

/** Who spends. The priority of what an earlier process spent is unknown, so that it counts in no part. */
export interface Spender {
  readonly priority: number | null;
  readonly payers: Iterable<string> | undefined;
  /** True if it was spent of the spare part. */
  readonly inSpare?: boolean;
}

/** A cost that somebody wants to spend. */
export interface Cost extends Spender {
  readonly cost: number;
}

/**
 * Parts of a limit: all of it, what is not reserved, what is left to costs behind the reserved priority, what of that is
 * left to those that are not urgent, what is not spare, and what is.
 */
export type LimitPart = 'limit' | 'unreserved' | 'behind' | 'notUrgent' | 'common' | 'spare';

const NONE: ReadonlySet<LimitPart> = new Set();

export class BudgetShares {
  private readonly max: number;
  private readonly reserved: Reserved | undefined;
  private sum = 0;
  private sumUnreserved = 0;
  private sumReserving = 0;
  private sumBehind = 0;
  private sumUrgent = 0;
  private sumSpare = 0;
  private readonly sumsOfPayers = new Map<string, number>();

  constructor(max: number, reserved: Reserved | undefined) {
    this.max = max;
    this.reserved = reserved;
  }

  /** The sum of all that counts against the limit. */
  get used(): number {
    return this.sum;
  }

  /** The sum of all that counts against the limit without its spare part. */
  get usedInCommon(): number {
    return this.sum - this.sumSpare;
  }

  get spare(): number {
    return this.reserved?.spare ?? 0;
  }

  /** Adds to what a spender has spent; a negative change removes it. */
  add(change: number, spender: Spender): void {
    this.sum += change;
    if (this.isUnreserved(spender)) this.sumUnreserved += change;
    if (spender.priority !== null && spender.priority === this.reserved?.priority) this.sumReserving += change;
    if (this.isBehind(spender)) this.sumBehind += change;
    if (this.isUrgent(spender)) this.sumUrgent += change;
    if (spender.inSpare) this.sumSpare += change;
    for (const payer of spender.payers ?? []) {
      const sum = (this.sumsOfPayers.get(payer) ?? 0) + change;
      if (sum === 0) this.sumsOfPayers.delete(payer);
      else this.sumsOfPayers.set(payer, sum);
    }
  }

  /** The first part in which a cost needs room and has none; null if it may be spent. @param full parts without any room. */
  lacking(cost: Cost, full: ReadonlySet<LimitPart> = NONE): LimitPart | null {
    // What lacks room in a part of the limit leaves the rest of it to those behind it.
    const needed: LimitPart[] = [];
    if (this.isBehind(cost)) needed.push('behind');
    if (this.isBehind(cost) && !this.isUrgent(cost)) needed.push('notUrgent');
    if (this.isBounded(cost) && !this.fitsSpare(cost, full)) needed.push('common');
    needed.push('limit');
    if (this.isUnreserved(cost)) needed.push('unreserved');
    return needed.find((part) => full.has(part) || !this.hasRoom(part, cost)) ?? null;
  }

  /**
   * True if a cost is to be spent of the spare part, since the common one has no room for it. What is spent there takes
   * nothing from a larger cost that waits for room in the common part.
   */
  fitsSpare(cost: Cost, full: ReadonlySet<LimitPart> = NONE): boolean {
    if (!this.isBounded(cost) || !this.isSmall(cost)) return false;
    return (full.has('common') || !this.hasRoom('common', cost)) && this.hasRoom('spare', cost);
  }

  /** True for what is not more important than the reserved priority: the adapter's own may use all of the limit. */
  private isBounded({ priority }: Cost): boolean {
    return this.reserved !== undefined && priority !== null && priority >= this.reserved.priority;
  }

  /** True for payers that spend little, also with this cost. */
  private isSmall({ cost, payers = [] }: Cost): boolean {
    return [...payers].some((payer) => (this.sumsOfPayers.get(payer) ?? 0) + cost <= this.spare);
  }

  /** A cost above a part may be spent when nothing else of the part is. */
  private hasRoom(part: LimitPart, cost: Cost): boolean {
    const bounded = Math.min(cost.cost, this.max);
    switch (part) {
      case 'limit':
        return this.sum + bounded <= this.max;
      case 'unreserved':
        return this.unreserved(cost) + bounded <= Math.max(bounded, this.max - this.reservedPart());
      case 'behind':
        return this.sumBehind + cost.cost <= Math.max(cost.cost, this.behindMax() + this.lentAtMost());
      case 'notUrgent':
        return this.sumBehind - this.sumUrgent + cost.cost <= Math.max(cost.cost, this.behindMax() + this.lent());
      case 'common':
        return this.usedInCommon === 0 || this.usedInCommon + bounded <= this.max - this.spare;
      case 'spare':
        return this.sumSpare + cost.cost <= this.spare;
    }
  }

  private reservedPart(): number {
    return this.reserved?.cost ?? 0;
  }

  private behindMax(): number {
    return this.reserved?.behindMax ?? Number.POSITIVE_INFINITY;
  }

  /** Returns how much of the reserved part is lent to less important costs that are not urgent. */
  private lent(): number {
    return this.lentWith(this.reserved?.idle ?? this.reservedPart());
  }

  /** Returns how much is lent to all less important costs together: more while some of them are urgent. */
  private lentAtMost(): number {
    const { urgent } = this.reserved ?? {};
    if (!urgent) return this.lent();
    return Math.max(this.lent(), this.lentWith(urgent.idle));
  }

  private lentWith(idle: number): number {
    const cost = this.reservedPart();
    return cost - Math.min(cost, Math.max(idle, 2 * this.sumReserving));
  }

  /**
   * Returns what counts of the unreserved part for a cost: without what is lent, and what was lent takes nothing from more
   * important ones.
   */
  private unreserved(cost: Cost): number {
    if (this.isUrgent(cost)) return this.sumUnreserved - this.lentAtMost();
    if (this.isBehind(cost)) return this.sumUnreserved - this.sumUrgent - this.lent();
    return this.sumUnreserved - Math.max(0, this.sumBehind - this.behindMax());
  }

  private isUnreserved({ priority }: Spender): boolean {
    return this.reserved !== undefined && priority !== null && priority !== this.reserved.priority;
  }

  private isUrgent({ priority }: Spender): boolean {
    return priority !== null && priority === this.reserved?.urgent?.priority;
  }

  private isBehind({ priority }: Spender): boolean {
    return this.reserved !== undefined && priority !== null && priority > this.reserved.priority;
  }
}
