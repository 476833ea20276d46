/** Consumer groups: their members are in this process, their committed offsets in the environment. */
import type { Database } from 'lmdb';
import { type GroupConsumer, LogError, type LogRecord, type TopicPartition } from '../log.ts';
import { partitionName } from '../partition-name.ts';
import { assignPartitions, type GroupMember } from './assign-partitions.ts';
import { EmbeddedReader } from './embedded-reader.ts';
import type { Partition } from './partition.ts';

interface Member extends GroupMember {
  readonly reader: EmbeddedReader;
  holds: ReadonlySet<string>;
  partitions: readonly Partition[];
  /** Offset at which it started to read each of its partitions; an older commit belongs to an earlier assignment. */
  readonly startOffsets: Map<string, number>;
  left: boolean;
}

export interface GroupsOptions {
  /** Committed offsets, by group and partition. */
  readonly offsets: Database<number, string>;
  readonly transact: <T>(work: () => T) => T;
  readonly partitionsOf: (topic: string) => readonly Partition[];
  /** Called with the reader of every member, so that closing the log ends it. */
  readonly onReader: (reader: EmbeddedReader) => void;
}

type CommitOffset = TopicPartition & { readonly offset: number };

export class EmbeddedGroups {
  private readonly options: GroupsOptions;
  private readonly members = new Map<string, Member[]>();

  constructor(options: GroupsOptions) {
    this.options = options;
  }

  /** Adds a member and rebalances the group. */
  join(groupId: string, topics: readonly string[]): GroupConsumer {
    for (const topic of topics) this.options.partitionsOf(topic);
    const member: Member = {
      topics,
      reader: new EmbeddedReader([], { watermarks: false }),
      holds: new Set(),
      partitions: [],
      startOffsets: new Map(),
      left: false,
    };
    this.options.onReader(member.reader);
    this.rebalance(groupId, [...(this.members.get(groupId) ?? []), member]);
    return {
      poll: (maxRecords, timeoutMs) => poll(member, maxRecords, timeoutMs),
      assignment: () => member.partitions.map(({ topic, partition }) => ({ topic, partition })),
      commit: async (offsets) => this.commit(groupId, member, offsets),
      close: async () => this.leave(groupId, member),
    };
  }

  /** Returns the next offset to read of a partition, or null. */
  committed(groupId: string, at: TopicPartition): number | null {
    return this.options.offsets.get(offsetKey(groupId, at)) ?? null;
  }

  /** Deletes the commits on the partitions of a topic whose offsets start over. Call within a transaction. */
  forgetTopic(partitions: readonly Partition[]): void {
    const names = new Set(partitions.map(({ name }) => name));
    const stale = [...this.options.offsets.getKeys()].filter((key) => names.has(key.slice(key.indexOf('\n') + 1)));
    for (const key of stale) this.options.offsets.removeSync(key);
    for (const members of this.members.values())
      for (const member of members)
        for (const name of names) if (member.startOffsets.has(name)) member.startOffsets.set(name, 0);
  }

  private leave(groupId: string, member: Member): void {
    if (member.left) return;
    member.left = true;
    this.rebalance(
      groupId,
      this.members.get(groupId)!.filter((other) => other !== member),
    );
    member.reader.stop(new LogError('log_closed', `this member has left ${groupId}`));
    member.partitions = [];
    member.holds = new Set();
  }

  private commit(groupId: string, member: Member, offsets: readonly CommitOffset[]): void {
    for (const at of offsets) {
      const name = partitionName(at);
      const began = member.startOffsets.get(name);
      if (began === undefined || member.left)
        throw new LogError('log_fenced', `this member of ${groupId} no longer holds ${name}`);
      if (at.offset < began)
        throw new LogError(
          'log_fenced',
          `offset ${at.offset} of ${name} is behind what ${groupId} has committed since`,
        );
    }
    this.options.transact(() => {
      for (const at of offsets) this.options.offsets.putSync(offsetKey(groupId, at), at.offset);
    });
  }

  private rebalance(groupId: string, members: Member[]): void {
    if (members.length > 0) this.members.set(groupId, members);
    else this.members.delete(groupId);
    const topics = new Set(members.flatMap((member) => member.topics));
    const partitions = [...topics].flatMap((topic) => this.options.partitionsOf(topic));
    const assigned = assignPartitions(members, partitions);
    for (const [member, own] of assigned) this.assign(groupId, member, own);
  }

  private assign(groupId: string, member: Member, partitions: readonly Partition[]): void {
    const before = member.holds;
    member.partitions = partitions;
    member.holds = new Set(partitions.map(({ name }) => name));
    for (const name of before) if (!member.holds.has(name)) member.startOffsets.delete(name);
    const from = partitions.map((partition) => ({
      partition,
      offset: Math.max(partition.first(), this.options.offsets.get(offsetKey(groupId, partition)) ?? 0),
    }));
    for (const { partition, offset } of from)
      if (!before.has(partition.name)) member.startOffsets.set(partition.name, offset);
    member.reader.assign(from);
  }
}

/** Neither a group's nor a topic's name can contain a line feed. */
function offsetKey(groupId: string, { topic, partition }: TopicPartition): string {
  return `${groupId}\n${partitionName({ topic, partition })}`;
}

async function poll({ reader }: Member, maxRecords: number, timeoutMs: number): Promise<readonly LogRecord[]> {
  const { records } = await reader.poll(maxRecords, timeoutMs);
  return records;
}
