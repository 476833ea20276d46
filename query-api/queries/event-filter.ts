/** Which events a list is of. `pastCondition` (`read-past-events.ts`) says the same of rows of the table. */
import type { UniversalEvent } from '#schemas/topics/derived';

export interface EventFilter {
  /** Upper and lower case are the same. */
  readonly underlying?: string | undefined;
  /** Unix ms: only events decided after it. */
  readonly resolutionAfter?: number | undefined;
  /** Least number of providers among the links. */
  readonly minProviders: number;
  readonly status?: UniversalEvent['status'] | undefined;
}

/** A test of whether an event fits the filter. */
export function eventTest({ underlying, resolutionAfter, minProviders, status }: EventFilter) {
  const asset = underlying?.toLowerCase();
  return (event: UniversalEvent): boolean => {
    if (status !== undefined && event.status !== status) return false;
    if (asset !== undefined && event.underlying?.toLowerCase() !== asset) return false;
    if (resolutionAfter !== undefined && (event.resolutionTime === null || event.resolutionTime <= resolutionAfter))
      return false;
    return minProviders <= 1 || new Set(event.links.map((link) => link.provider)).size >= minProviders;
  };
}
