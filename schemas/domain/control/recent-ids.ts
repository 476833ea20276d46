/** The ids of the newest commands: a retried append may be in the log twice and counts once. */

/** A node appends one small batch at a time, so only a few commands lie between a command and its repetition. */
const GENERATION_SIZE = 4_096;

/** Two sets that alternate, so that dropping the oldest ids costs nothing. */
export interface RecentIds {
  current: Set<string>;
  previous: Set<string>;
}

export function initialRecentIds(): RecentIds {
  return { current: new Set(), previous: new Set() };
}

/** Adds an id; false if it is one of the newest 4,096. */
export function rememberId(recent: RecentIds, id: string): boolean {
  if (recent.previous.has(id)) return false;
  const { current } = recent;
  const { size } = current;
  if (size < GENERATION_SIZE) return current.add(id).size > size;
  if (current.has(id)) return false;
  recent.previous = current;
  recent.current = new Set([id]);
  return true;
}
