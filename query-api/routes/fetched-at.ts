/** The header in which a route states how old its data is, where the specification fixes the body. */
import { isoTime } from '#schemas/http/scalars';

/** The declaration of the header. */
export function fetchedAtHeader(description: string) {
  return { 'X-Fetched-At': `${description} ISO-8601; missing while it is unknown.` };
}

/** The header of a response. @param at unix ms; null if it is unknown. */
export function fetchedAtOf(at: number | null): readonly string[] {
  return at === null ? [] : ['x-fetched-at', isoTime(at)];
}
