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
  /** Words that the name contains, in lower case (`wordsParameter`). */
  readonly words?: readonly string[] | undefined;
}

/** Returns a predicate that is true for events that match the filter. */
export function eventPredicate({ underlying, resolutionAfter, minProviders, status, words = [] }: EventFilter) {
  const asset = underlying?.toLowerCase();
  return (event: UniversalEvent): boolean => {
    if (status !== undefined && event.status !== status) return false;
    if (asset !== undefined && event.underlying?.toLowerCase() !== asset) return false;
    if (resolutionAfter !== undefined && (event.resolutionTime === null || event.resolutionTime <= resolutionAfter))
      return false;
    if (!hasWords(event.canonicalName, words)) return false;
    return minProviders <= 1 || new Set(event.links.map((link) => link.provider)).size >= minProviders;
  };
}

/** True if a name contains every word. The words are in lower case. */
export function hasWords(name: string, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const text = name.toLowerCase();
  return words.every((word) => text.includes(word));
}
