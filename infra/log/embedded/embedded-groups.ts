/** Consumer groups of the embedded log: the members live in one process, committed offsets in the environment. */
import type { Database, RootDatabase } from 'lmdb';
import { type GroupConsumer, LogError, type LogRecord, type TopicPartition } from '../log.ts';
import { EmbeddedReader } from './embedded-reader.ts';
import type { Partition } from './partition.ts';

interface Member {
  readonly topics: readonly string[];
  held: readonly Partition[];
  reader: EmbeddedReader | null;
  left: boolean;
}

const nameOf = (at: TopicPartition) => `${at.topic}/${at.partition}`;

export class EmbeddedGroups {
  private readonly offsets: Database<number, string>;
  private readonly partitionsOf: (topic: string) => readonly Partition[];
  private readonly members = new Map<string, Member[]>();

  constructor(root: RootDatabase<Buffer, Buffer>, partitionsOf: (topic: string) => readonly Partition[]) {
    this.offsets = root.openDB({ name: 'groups', encoding: 'json', keyEncoding: 'ordered-binary' });
    this.partitionsOf = partitionsOf;
  }

  async join(groupId: string, topics: readonly string[]): Promise<GroupConsumer> {
    for (const topic of topics) this.partitionsOf(topic);
    const member: Member = { topics, held: [], reader: null, left: false };
    const members = [...(this.members.get(groupId) ?? []), member];
    await this.assign(groupId, members);
    return {
      poll: (maxRecords, timeoutMs) => this.poll(member, maxRecords, timeoutMs),
      assignment: () => member.held.map(({ topic, partition }) => ({ topic, partition })),
      commit: async (offsets) => this.commit(groupId, member, offsets),
      close: async () => {
        if (member.left) return;
        member.left = true;
        await this.assign(
          groupId,
          (this.members.get(groupId) ?? []).filter((other) => other !== member),
        );
        await member.reader?.close();
      },
    };
  }

  private async poll(member: Member, maxRecords: number, timeoutMs: number): Promise<readonly LogRecord[]> {
    if (member.left) throw new LogError('log_closed', 'this member has left its group');
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      const reader = member.reader!;
      try {
        const { records } = await reader.poll(maxRecords, Math.max(0, deadline - Date.now()));
        if (records.length > 0 || Date.now() >= deadline) return records;
      } catch (error) {
        // A rebalance replaced the reader under this poll: go on with the new one.
        if (!(error instanceof LogError) || error.code !== 'log_closed' || member.left || member.reader === reader)
          throw error;
      }
    }
  }

  private commit(groupId: string, member: Member, offsets: readonly (TopicPartition & { offset: number })[]): void {
    const held = new Set(member.held.map(nameOf));
    const lost = offsets.find((at) => !held.has(nameOf(at)));
    if (lost || member.left)
      throw new LogError(
        'log_fenced',
        `another member of ${groupId} holds ${lost ? nameOf(lost) : 'its partitions'} now`,
      );
    this.offsets.transactionSync(() => {
      for (const at of offsets) this.offsets.putSync(`${groupId}/${nameOf(at)}`, at.offset);
    });
  }

  /** Deals the partitions of each topic out to its members in turn. Who keeps a partition reads on from its commit too. */
  private async assign(groupId: string, members: Member[]): Promise<void> {
    if (members.length > 0) this.members.set(groupId, members);
    else this.members.delete(groupId);
    const held = new Map<Member, Partition[]>(members.map((member) => [member, []]));
    let turn = 0;
    for (const topic of new Set(members.flatMap((member) => member.topics))) {
      const interested = members.filter((member) => member.topics.includes(topic));
      for (const partition of this.partitionsOf(topic)) {
        held.get(interested[turn % interested.length]!)!.push(partition);
        turn += 1;
      }
    }
    for (const [member, partitions] of held) {
      const before = member.reader;
      member.held = partitions;
      member.reader = new EmbeddedReader(
        partitions.map((partition) => ({
          partition,
          offset: Math.max(partition.first(), this.offsets.get(`${groupId}/${nameOf(partition)}`) ?? 0),
        })),
      );
      await before?.close();
    }
  }
}
