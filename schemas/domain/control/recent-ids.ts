/** The ids of the newest commands: an append that was tried again may stand in the log twice and counts once. */

/** A node has one append under way at a time, so a repeat comes after the few that others got in between. */
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
  if (recent.current.has(id) || recent.previous.has(id)) return false;
  if (recent.current.size >= GENERATION_SIZE) {
    recent.previous = recent.current;
    recent.current = new Set();
  }
  recent.current.add(id);
  return true;
}
