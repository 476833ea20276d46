/**
 * Which outcomes cannot have been there when: their ids count up, so one that is newer than all of a list was made behind
 * it. That is known, too, of outcomes that came and went while nobody looked.
 */

/** Gaps between the ids of lists that are remembered, the newest ones. */
export const GAPS_MAX = 1_000;

/** Outcomes with an id above `above` and below `below` were made behind `after`, unix ms. */
interface Gap {
  readonly above: number;
  readonly below: number;
  readonly after: number;
}

export interface ListedIds {
  /** The highest that any list held; null before the first. */
  highest: number | null;
  /** When the newest list was received, unix ms. */
  at: number;
  /** Where a list went more than one above all before it, oldest first (`GAPS_MAX`). */
  readonly gaps: Gap[];
}

export function createListedIds(): ListedIds {
  return { highest: null, at: 0, gaps: [] };
}

/** Takes the ids of a list. @param at when it was received. */
export function takeListedIds(state: ListedIds, ids: readonly number[], at: number): void {
  const { highest } = state;
  const newest = Math.max(highest ?? -1, ...ids);
  if (highest !== null && newest > highest + 1) {
    state.gaps.push({ above: highest, below: newest, after: state.at });
    if (state.gaps.length > GAPS_MAX) state.gaps.shift();
  }
  if (newest >= 0) state.highest = newest;
  state.at = at;
}

/** The time of the newest list that was before an outcome which no list held; null where none is known. */
export function madeBehind({ gaps }: ListedIds, id: number): number | null {
  return gaps.find(({ above, below }) => above < id && id < below)?.after ?? null;
}
