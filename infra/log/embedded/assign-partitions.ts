/** Assigns the partitions of a consumer group to its members. */

/** A member as the assignment sees it. */
export interface GroupMember {
  readonly topics: readonly string[];
  /** Names of the partitions that the member holds now. */
  readonly holds: ReadonlySet<string>;
}

export interface NamedPartition {
  readonly topic: string;
  readonly name: string;
}

/**
 * Distributes the partitions of each topic evenly among the members that subscribe to it. Sticky: a member retains what
 * it holds unless it holds more than its share, so that as few partitions as possible move.
 */
export function assignPartitions<M extends GroupMember, P extends NamedPartition>(
  members: readonly M[],
  partitions: readonly P[],
): Map<M, P[]> {
  const assigned = new Map<M, P[]>(members.map((member) => [member, []]));
  const free: P[] = [];
  for (const topic of new Set(partitions.map((partition) => partition.topic))) {
    const own = partitions.filter((partition) => partition.topic === topic);
    const candidates = members.filter((member) => member.topics.includes(topic));
    const share = Math.floor(own.length / Math.max(1, candidates.length));
    // If the partitions cannot be shared evenly, this many members have one more.
    let larger = own.length - share * candidates.length;
    for (const partition of own) {
      const holder = candidates.find((member) => member.holds.has(partition.name));
      const count = holder
        ? assigned.get(holder)!.filter((assignedPartition) => assignedPartition.topic === topic).length
        : 0;
      if (!holder || count > share || (count === share && larger === 0)) free.push(partition);
      else {
        if (count === share) larger -= 1;
        assigned.get(holder)!.push(partition);
      }
    }
  }
  for (const partition of free) {
    const receiver = leastOf(members, partition.topic, assigned);
    if (receiver) assigned.get(receiver)!.push(partition);
  }
  return assigned;
}

/** Returns the member with the fewest partitions of the topic, then with the fewest overall; the earliest of equals. */
function leastOf<M extends GroupMember, P extends NamedPartition>(
  members: readonly M[],
  topic: string,
  assigned: ReadonlyMap<M, readonly P[]>,
): M | null {
  let best: { readonly member: M; readonly rank: number } | null = null;
  for (const member of members) {
    if (!member.topics.includes(topic)) continue;
    const all = assigned.get(member)!;
    const ofTopic = all.filter((partition) => partition.topic === topic).length;
    // No log has a million partitions.
    const rank = ofTopic * 1_000_000 + all.length;
    if (!best || rank < best.rank) best = { member, rank };
  }
  return best?.member ?? null;
}
