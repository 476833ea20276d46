/** The order in which those that wait for a budget are served. Pure. */

export interface Turn {
  readonly priority: number;
  /** Nobody for what the adapter spends for itself. */
  readonly payers: Iterable<string> | undefined;
  /** A number that grows with each arrival and each cost that is served. */
  readonly arrival: number;
}

/**
 * Sorts waiters, which are in the order of arrival: the most important first, and of equal ones the payers in turn. A turn
 * is one cost of each payer, the one that waits longest; the payer that has waited for its turn longest is first. So a
 * cost is overtaken by at most one of each other payer, however many arrive later.
 * @param servedOf the number at which a payer was served last; 0 if it was not.
 */
export function inTurn<W extends Turn>(waiters: readonly W[], servedOf: (payer: string) => number): W[] {
  const counts = new Map<string, number>();
  const ranked = waiters.map((waiter) => {
    let turn: { readonly nth: number; readonly since: number } | null = null;
    // It is served with the earliest turn of its payers.
    for (const payer of waiter.payers ?? []) {
      const nth = counts.get(payer) ?? 0;
      counts.set(payer, nth + 1);
      const since = Math.max(waiter.arrival, servedOf(payer));
      if (!turn || nth < turn.nth || (nth === turn.nth && since < turn.since)) turn = { nth, since };
    }
    return { waiter, ...(turn ?? { nth: 0, since: waiter.arrival }) };
  });
  return ranked
    .sort((a, b) => a.waiter.priority - b.waiter.priority || a.nth - b.nth || a.since - b.since)
    .map(({ waiter }) => waiter);
}
