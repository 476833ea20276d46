/** Filter of event lists. `archivedCondition` (`read-archived-events.ts`) is the same filter in SQL. */
import type { UniversalEvent } from '#schemas/topics/derived';

export interface EventFilter {
  /** Compared without regard to case. */
  readonly underlying?: string | undefined;
  /** Unix ms: only events with a later resolution time. */
  readonly resolutionAfter?: number | undefined;
  /** Minimum number of distinct providers among the links. */
  readonly minProviders: number;
  readonly status?: UniversalEvent['status'] | undefined;
}

/** Returns a predicate that is true for events that match the filter. */
export function eventPredicate({ underlying, resolutionAfter, minProviders, status }: EventFilter) {
  const asset = underlying?.toLowerCase();
  return (event: UniversalEvent): boolean => {
    if (status !== undefined && event.status !== status) return false;
    if (asset !== undefined && event.underlying?.toLowerCase() !== asset) return false;
    if (resolutionAfter !== undefined && (event.resolutionTime === null || event.resolutionTime <= resolutionAfter))
      return false;
    return minProviders <= 1 || new Set(event.links.map((link) => link.provider)).size >= minProviders;
  };
}
