/** The options of a budget, and the requests to it (`budget.ts`). */

/** A cost that counts until it is settled, and then for one window: the venue counted it at some time in between. */
export interface Reservation {
  /** Ends the reservation once. @param cost what was really spent, by default all of it. */
  settle(cost?: number): void;
}

/** Costs that count against the limit since about the same time. */
export interface SpentCost {
  /** Wall time, unix ms. */
  readonly at: number;
  readonly cost: number;
}

/** Costs that earlier processes spent, and permission to spend more (`spending-log.ts`). */
export interface SpendingGrants {
  /** Costs that earlier processes may have spent. */
  readonly earlier: readonly SpentCost[];
  /** How much is granted at once. */
  readonly chunk: number;
  /** Until when the venue demanded of an earlier process that nothing is spent, wall time, unix ms; null if it did not. */
  readonly blockedUntil: number | null;
  /**
   * Resolves when it is stored that all of `spent` counts, that `granted` is being spent or may be spent from now on, and
   * until when nothing may be. Retries until then; rejects only if nothing may be spent any more.
   */
  readonly store: (spent: readonly SpentCost[], granted: number, blockedUntil: number | null) => Promise<void>;
}

/**
 * A part of a limit that is reserved for one priority. The weight of venue_a, 1,200 a minute, with reads of clients as that
 * priority:
 *
 * ```
 *   lists (more important)        at most 600
 *   repairs, ... (less important) at most 300 `behindMax`, and what is lent to them
 *   both together                 at most 600 and what is lent, since 600 `cost` are reserved for reads
 *   reads                         all that the others leave
 *
 *   lent: 300 while reads spend at most 150 within the minute (`idle` stays reserved); less the more they spend, and
 *         nothing from 300 on. So reads are sure of 300 at once, and of 600 within a minute.
 *         550 to urgent snapshots (`urgent`) while reads spend at most 25: meanwhile reads are sure of 50 and the spare
 *         part at once, and of 600 within a minute all the same.
 *
 *   0                                                      1,080              1,200
 *   |------------------ used by all ------------------------|--- 120 `spare` ---|
 *                                                            lists, and reads of an organization that
 *                                                            uses at most 120 within the minute, with this read
 * ```
 */
export interface Reserved {
  /** Only costs of this priority may use the part. */
  readonly priority: number;
  readonly cost: number;
  /**
   * The part that stays reserved while this priority spends nothing. The reserved part is twice what it spent within the
   * last window, between `idle` and `cost`; the rest is lent to less important costs. By default nothing is lent.
   */
  readonly idle?: number;
  /**
   * A less important priority that is lent more, since it has to be done in time: of the reserved part `idle` stays
   * reserved for it. What it spends of that takes nothing from others of less importance.
   */
  readonly urgent?: { readonly priority: number; readonly idle: number };
  /**
   * The end of the limit. Of this priority only payers may use it that spend at most this much within a window, all
   * together, when the rest has no room; 0 by default. So one that spends as much as it can leaves room for a single cost
   * of another one. What they spend of it delays nobody who waits for the rest.
   */
  readonly spare?: number;
  /**
   * Less important costs use at most so much together, so that they leave room for more important ones. Among them, one
   * that has waited for a window comes before those that arrived later, whatever their priorities.
   */
  readonly behindMax?: number;
}

export interface BudgetOptions {
  /** At most this is spent within any `windowMs`. */
  readonly max: number;
  readonly windowMs: number;
  /** None by default. */
  readonly reserved?: Reserved;
  /** With it nothing is spent before that is stored, so that the limit holds across restarts; none by default. */
  readonly grants?: SpendingGrants;
  readonly now?: () => number;
}

export interface AcquireOptions {
  readonly signal?: AbortSignal | undefined;
  /** Lower numbers are served first; 0 by default. */
  readonly priority?: number | undefined;
  /**
   * Who spends it, of the priority with a reserved part; nobody by default. All of it counts for each payer, as if it was
   * alone. It may use the spare part if one of its payers may. After one was added to those of a waiting cost, call
   * `recheck`.
   */
  readonly payers?: Iterable<string> | undefined;
}
