/** The ids of the newest commands: an append that was tried again may stand in the log twice and counts once. */

/** A node has one small batch under way at a time, so a repeat comes after the few that it and others got in between. */
const GENERATION_SIZE = 4_096;

/** Two sets by turns, so that forgetting the oldest ids costs nothing. */
export interface RecentIds {
  current: Set<string>;
  previous: Set<string>;
}

export function initialRecentIds(): RecentIds {
  return { current: new Set(), previous: new Set() };
}

/** Takes note of an id; false when it is one of the newest 4,096. */
export function isNewId(recent: RecentIds, id: string): boolean {
  if (recent.previous.has(id)) return false;
  const { current } = recent;
  const { size } = current;
  if (size < GENERATION_SIZE) return current.add(id).size > size;
  if (current.has(id)) return false;
  recent.previous = current;
  recent.current = new Set([id]);
  return true;
}
