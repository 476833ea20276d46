/** Who of a consumer group reads what. */

/** A member as the assignment sees it. */
export interface GroupMember {
  readonly topics: readonly string[];
  /** Names of the partitions that it holds now. */
  readonly holds: ReadonlySet<string>;
}

export interface NamedPartition {
  readonly topic: string;
  readonly name: string;
}

/**
 * Deals the partitions of each topic out evenly to the members that asked for it. Sticky: a member keeps what it holds
 * unless it holds more than its share, so that as little as possible changes hands.
 */
export function assignPartitions<M extends GroupMember, P extends NamedPartition>(
  members: readonly M[],
  partitions: readonly P[],
): Map<M, P[]> {
  const assigned = new Map<M, P[]>(members.map((member) => [member, []]));
  const free: P[] = [];
  for (const topic of new Set(partitions.map((partition) => partition.topic))) {
    const own = partitions.filter((partition) => partition.topic === topic);
    const asking = members.filter((member) => member.topics.includes(topic));
    const share = Math.floor(own.length / Math.max(1, asking.length));
    // Where the partitions do not go up evenly, so many members have one more.
    let larger = own.length - share * asking.length;
    for (const partition of own) {
      const holder = asking.find((member) => member.holds.has(partition.name));
      const count = holder ? assigned.get(holder)!.filter((kept) => kept.topic === topic).length : 0;
      if (!holder || count > share || (count === share && larger === 0)) free.push(partition);
      else {
        if (count === share) larger -= 1;
        assigned.get(holder)!.push(partition);
      }
    }
  }
  for (const partition of free) {
    const taker = leastOf(members, partition.topic, assigned);
    if (taker) assigned.get(taker)!.push(partition);
  }
  return assigned;
}

/** The member with the fewest partitions of the topic, then with the fewest of all; the earliest of equals. */
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
