/** Conformance tests for consumer groups; part of `event-log.fixture.ts`. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { GroupConsumer, LogRecord, TopicPartition } from '../log.ts';
import type { LogUnderTest } from './under-test.fixture.ts';

const nameOf = ({ topic, partition }: TopicPartition) => `${topic}/${partition}`;
const nextOf = (records: readonly LogRecord[]) => {
  const next = new Map<string, TopicPartition & { offset: number }>();
  for (const { topic, partition, offset } of records)
    next.set(`${topic}/${partition}`, { topic, partition, offset: offset + 1 });
  return [...next.values()];
};

export function testGroups({ log, topic, fill, reopen, timeoutMs }: LogUnderTest): void {
  const groupName = () => `conformance-${randomUUID().slice(0, 8)}`;

  /** Polls with all members in parallel until the condition holds; returns the records of each member. */
  async function until(members: readonly GroupConsumer[], isSo: (got: readonly LogRecord[][]) => boolean) {
    const got: LogRecord[][] = members.map(() => []);
    const deadline = Date.now() + timeoutMs;
    while (!isSo(got)) {
      if (Date.now() > deadline)
        throw new Error(
          `condition not met after ${timeoutMs} ms; members received ${got.map((own) => own.length).join(', ')} records`,
        );
      const batches = await Promise.all(members.map((member) => member.poll(100, 100)));
      for (const [index, batch] of batches.entries()) got[index]!.push(...batch);
    }
    return got;
  }
  const count = (got: readonly LogRecord[][]) => got.reduce((sum, own) => sum + own.length, 0);
  const fillAll = async (name: string, partitions: number, each: number, from = 1) => {
    for (let partition = 0; partition < partitions; partition += 1) await fill({ topic: name, partition }, each, from);
  };
  const seqsOf = (records: readonly LogRecord[]) =>
    [...records]
      .sort((a, b) => a.partition - b.partition || a.offset - b.offset)
      .map((record) => `${record.partition}:${record.seq}`);

  describe('a consumer group', () => {
    it('gives its only member every partition, from the first record on', async () => {
      const name = await topic(3);
      await fillAll(name, 3, 4);
      const member = await log().group(groupName(), [name]);
      const [got] = await until([member], (all) => count(all) >= 12);
      expect(seqsOf(got!)).toEqual([0, 1, 2].flatMap((partition) => [1, 2, 3, 4].map((seq) => `${partition}:${seq}`)));
      expect(member.assignment().map(nameOf).sort()).toEqual([0, 1, 2].map((partition) => `${name}/${partition}`));
      await member.close();
    });

    it('continues after the committed offsets, also in a reopened log', async () => {
      const [name, group] = [await topic(2), groupName()];
      await fillAll(name, 2, 3);
      const member = await log().group(group, [name]);
      const [got] = await until([member], (all) => count(all) >= 6);
      await member.commit(nextOf(got!));
      await member.close();
      await fillAll(name, 2, 2, 4);
      await reopen();
      const later = await log().group(group, [name]);
      const [rest] = await until([later], (all) => count(all) >= 4);
      expect(seqsOf(rest!)).toEqual(['0:4', '0:5', '1:4', '1:5']);
      await later.close();
    });

    it('delivers records again that were polled and not committed', async () => {
      const [name, group] = [await topic(), groupName()];
      await fill({ topic: name, partition: 0 }, 6);
      const first = await log().group(group, [name]);
      const [got] = await until([first], (all) => count(all) >= 6);
      await first.commit(nextOf(got!.slice(0, 4)));
      await first.close();
      const second = await log().group(group, [name]);
      const [rest] = await until([second], (all) => count(all) >= 2);
      expect(rest!.map(({ seq }) => seq)).toEqual([5, 6]);
      await second.close();
    });

    it('returns its committed offsets to any caller, and null for a partition without a commit', async () => {
      const [name, group] = [await topic(2), groupName()];
      const at = [0, 1].map((partition) => ({ topic: name, partition }));
      expect(await log().committed(group, at)).toEqual([null, null]);
      await fill(at[0]!, 3);
      const member = await log().group(group, [name]);
      const [got] = await until([member], (all) => count(all) >= 3);
      expect(await log().committed(group, at)).toEqual([null, null]);
      const [next] = nextOf(got!);
      await member.commit([next!]);
      expect(await log().committed(group, at)).toEqual([next!.offset, null]);
      expect(await log().committed(group, [at[1]!, at[0]!])).toEqual([null, next!.offset]);
      expect(await log().committed(groupName(), at)).toEqual([null, null]);
      await member.close();
      await reopen();
      expect(await log().committed(group, at)).toEqual([next!.offset, null]);
      await expect(log().committed(group, [{ topic: 'unknown', partition: 0 }])).rejects.toMatchObject({
        code: 'log_unknown_topic',
      });
    });

    it('is independent of other groups', async () => {
      const name = await topic();
      await fill({ topic: name, partition: 0 }, 3);
      const members = [await log().group(groupName(), [name]), await log().group(groupName(), [name])];
      const got = await until(members, (all) => all.every((own) => own.length >= 3));
      expect(got.map((own) => own.map(({ seq }) => seq))).toEqual([
        [1, 2, 3],
        [1, 2, 3],
      ]);
      for (const member of members) await member.close();
    });

    it('assigns each partition to one of its members', async () => {
      const [name, group] = [await topic(4), groupName()];
      const members = [await log().group(group, [name]), await log().group(group, [name])];
      await until(members, () => members.every((member) => member.assignment().length === 2));
      const held = members.flatMap((member) => member.assignment().map(nameOf));
      expect(held.sort()).toEqual([0, 1, 2, 3].map((partition) => `${name}/${partition}`));
      await fillAll(name, 4, 5);
      const got = await until(members, (all) => count(all) >= 20);
      expect(seqsOf(got.flat())).toEqual([0, 1, 2, 3].flatMap((p) => [1, 2, 3, 4, 5].map((seq) => `${p}:${seq}`)));
      for (const [index, own] of got.entries()) {
        const holds = new Set(members[index]!.assignment().map(nameOf));
        expect(own.every((record) => holds.has(nameOf(record)))).toBe(true);
      }
      for (const member of members) await member.close();
    });

    it('reassigns the partitions of a leaving member, which resume after its commits', async () => {
      const [name, group] = [await topic(4), groupName()];
      const [leaving, staying] = [await log().group(group, [name]), await log().group(group, [name])];
      await until([leaving, staying], () => [leaving, staying].every((member) => member.assignment().length === 2));
      await fillAll(name, 4, 3);
      const [left, stayed] = await until([leaving, staying], (all) => count(all) >= 12);
      await leaving.commit(nextOf(left!));
      await staying.commit(nextOf(stayed!));
      await leaving.close();
      await until([staying], () => staying.assignment().length === 4);
      await fillAll(name, 4, 2, 4);
      const [rest] = await until([staying], (all) => count(all) >= 8);
      expect(seqsOf(rest!)).toEqual([0, 1, 2, 3].flatMap((partition) => [`${partition}:4`, `${partition}:5`]));
      await staying.close();
    });

    it('leaves a member without partitions if there are fewer partitions than members', async () => {
      const [name, group] = [await topic(1), groupName()];
      const members = [await log().group(group, [name]), await log().group(group, [name])];
      await fill({ topic: name, partition: 0 }, 2);
      const got = await until(members, (all) => count(all) >= 2);
      expect(got.map((own) => own.length).sort()).toEqual([0, 2]);
      for (const member of members) await member.close();
    });

    it('refuses a commit of a partition that the member no longer holds', async () => {
      const [name, group] = [await topic(2), groupName()];
      await fillAll(name, 2, 2);
      const first = await log().group(group, [name]);
      const [got] = await until([first], (all) => count(all) >= 4);
      const second = await log().group(group, [name]);
      await until([first, second], () => [first, second].every((member) => member.assignment().length === 1));
      const lost = nameOf(second.assignment()[0]!);
      const stale = nextOf(got!).filter((at) => nameOf(at) === lost);
      await expect(first.commit(stale)).rejects.toMatchObject({ code: 'log_fenced', canRetry: false });
      await first.close();
      await second.close();
    });
  });
}
