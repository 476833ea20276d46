/**
 * Bounds when an outcome was created: ids count up, so an outcome with a higher id than a complete list was created
 * after it. This also holds for outcomes that came and went between two lists.
 */

/** Newest gaps between the ids of lists that are stored. */
export const GAPS_MAX = 1_000;

/** Outcomes with an id above `above` and below `below` were created after `after`, unix ms. */
interface Gap {
  readonly above: number;
  readonly below: number;
  readonly after: number;
}

export interface ListedIds {
  /** The highest id of any list; null before the first list. */
  highest: number | null;
  /** Receive time of the newest list, unix ms. */
  at: number;
  /** Gaps where a list exceeded all earlier ids by more than one, oldest first (`GAPS_MAX`). */
  readonly gaps: Gap[];
}

export function createListedIds(): ListedIds {
  return { highest: null, at: 0, gaps: [] };
}

/** Adds the ids of a list. @param at its receive time. */
export function addListedIds(state: ListedIds, ids: readonly number[], at: number): void {
  const { highest } = state;
  const newest = Math.max(highest ?? -1, ...ids);
  if (highest !== null && newest > highest + 1) {
    state.gaps.push({ above: highest, below: newest, after: state.at });
    if (state.gaps.length > GAPS_MAX) state.gaps.shift();
  }
  if (newest >= 0) state.highest = newest;
  state.at = at;
}

/** Returns the time of the newest list before an outcome that no list contained; null where none is known. */
export function createdAfter({ gaps }: ListedIds, id: number): number | null {
  return gaps.find(({ above, below }) => above < id && id < below)?.after ?? null;
}
