/** Conformance tests for topics; part of `event-log.fixture.ts`. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { asAppended, recordOf } from './records.fixture.ts';
import type { LogUnderTest } from './under-test.fixture.ts';

export function testTopics({ log, topic, reopen, readAll, fill, offsetsContinue }: LogUnderTest): void {
  describe('topics', () => {
    it('are created once: creating them again changes nothing', async () => {
      const name = await topic(2);
      await fill({ topic: name, partition: 1 }, 3);
      await log().createTopics([{ name, partitions: 2, retention: { kind: 'raw' } }]);
      expect(await readAll({ topic: name, partition: 1 })).toHaveLength(3);
    });

    it('cannot change their partition count', async () => {
      const name = await topic(2);
      await expect(log().createTopics([{ name, partitions: 3, retention: { kind: 'raw' } }])).rejects.toMatchObject({
        name: 'LogError',
      });
    });

    it('are unknown until created', async () => {
      const at = { topic: `missing.${randomUUID()}`, partition: 0 };
      const unknown = expect.objectContaining({ code: 'log_unknown_topic', canRetry: false });
      await expect(log().append([recordOf(at, 1)])).rejects.toEqual(unknown);
      await expect(log().bounds(at)).rejects.toEqual(unknown);
      await expect(log().last(at)).rejects.toEqual(unknown);
      await expect(log().reader([{ ...at, offset: 0 }])).rejects.toEqual(unknown);
      await expect(log().group('g', [at.topic])).rejects.toEqual(unknown);
    });

    it('reject a partition beyond their count', async () => {
      const name = await topic(2);
      await expect(log().append([recordOf({ topic: name, partition: 2 }, 1)])).rejects.toMatchObject({
        code: 'log_unknown_topic',
      });
    });

    it('have a size: records, bytes on the disk, and the time of the oldest record', async () => {
      const [plain, compacted] = [await topic(2), await topic(1, { kind: 'compacted' })];
      const sizeOf = async (name: string) => (await log().sizes()).find((size) => size.topic === name);
      expect(await sizeOf(plain)).toMatchObject({ records: 0, oldestAt: null });
      await fill({ topic: plain, partition: 0 }, 3);
      await fill({ topic: plain, partition: 1 }, 2);
      await fill({ topic: compacted, partition: 0 }, 4);
      const [first] = await readAll({ topic: plain, partition: 0 });
      const [second] = await readAll({ topic: plain, partition: 1 });
      const size = (await sizeOf(plain))!;
      expect(size).toMatchObject({ records: 5, oldestAt: Math.min(first!.appendedAt, second!.appendedAt) });
      expect(size.bytes).toBeGreaterThan(0);
      expect((await sizeOf(compacted))!.records).toBeGreaterThan(0);
      await reopen();
      expect((await sizeOf(plain))!.records).toBe(5);
    });

    it('are stored with their records when the log is closed', async () => {
      const at = { topic: await topic(), partition: 0 };
      const written = await fill(at, 4);
      await reopen();
      expect((await readAll(at)).map(asAppended)).toEqual(written);
    });

    it(`are empty when cleared, and their offsets ${offsetsContinue ? 'continue' : 'start over'}`, async () => {
      const next = offsetsContinue ? 5 : 0;
      const at = { topic: await topic(2), partition: 0 };
      const beside = { ...at, partition: 1 };
      await fill(at, 5);
      await fill(beside, 5);
      await log().clearTopic(at.topic);
      expect(await log().bounds(at)).toEqual({ first: next, next });
      expect(await log().last(beside)).toBeNull();
      await fill(at, 2, 9);
      expect((await readAll(at)).map(({ offset, seq }) => [offset, seq])).toEqual([
        [next, 9],
        [next + 1, 10],
      ]);
    });
  });
}
