/** Conformance tests for appended records; part of `event-log.fixture.ts`. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { AppendRecord } from '../log.ts';
import { RECORD_BYTES_MAX } from '../record-size.ts';
import { asAppended, recordOf } from './records.fixture.ts';
import type { LogUnderTest } from './under-test.fixture.ts';

export function testRecords({ log, topic, fill, pollRecords, readAll, atomic, reopen }: LogUnderTest): void {
  describe('records', () => {
    it('are returned as they were written', async () => {
      const at = { topic: await topic(), partition: 0 };
      const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
      const written: AppendRecord[] = [
        { ...at, key: 'plain', value: Buffer.from('text'), receivedAt: 0, seq: 1 },
        { ...at, key: 'bytes', value: bytes, receivedAt: 1_700_000_000_123, seq: 2 },
        { ...at, key: 'größe/価格/😀', value: Buffer.from('x'), receivedAt: 1_700_000_000_124, seq: 3 },
        { ...at, key: 'empty', value: Buffer.alloc(0), receivedAt: 1_700_000_000_124, seq: 4 },
        { ...at, key: 'unnumbered', value: Buffer.from('y'), receivedAt: 1_700_000_000_125, seq: 0 },
        { ...at, key: 'far', value: Buffer.from('z'), receivedAt: 4_000_000_000_000, seq: Number.MAX_SAFE_INTEGER },
      ];
      await log().append(written);
      expect((await readAll(at)).map(asAppended)).toEqual(written);
      await reopen();
      expect((await readAll(at)).map(asAppended)).toEqual(written);
    });

    it('distinguish a tombstone from an empty value', async () => {
      const at = { topic: await topic(1, { kind: 'compacted' }), partition: 0 };
      await log().append([{ ...recordOf(at, 1, 'a'), value: Buffer.alloc(0) }]);
      await log().append([{ ...recordOf(at, 2, 'b'), value: null }]);
      const values = (await readAll(at)).map(({ value }) => value);
      expect(values).toEqual([Buffer.alloc(0), null]);
      await reopen();
      expect((await log().last(at))?.value).toBeNull();
    });

    it('may be as large as a chunk of a snapshot', async () => {
      const at = { topic: await topic(), partition: 0 };
      const value = Buffer.alloc(512 * 1024, 'piece');
      await log().append([{ ...recordOf(at, 1), value }]);
      expect((await log().last(at))?.value?.equals(value)).toBe(true);
      expect((await readAll(at))[0]?.value?.equals(value)).toBe(true);
    });

    it('are refused if too large, while concurrent appends succeed', async () => {
      const at = { topic: await topic(2), partition: 0 };
      const large = { ...recordOf(at, 1), value: Buffer.alloc(RECORD_BYTES_MAX) };
      const beside = recordOf({ ...at, partition: 1 }, 1);
      const ends = await Promise.allSettled([log().append([large]), log().append([beside])]);
      expect(ends).toMatchObject([
        { status: 'rejected', reason: { code: 'log_too_large', canRetry: false } },
        { status: 'fulfilled' },
      ]);
      expect(await log().last(at)).toBeNull();
      expect(await log().last(beside)).toMatchObject({ seq: 1 });
      await fill(at, 1);
      expect((await readAll(at)).map(({ seq }) => seq)).toEqual([1]);
    });

    it('have rising offsets and keep their order within a partition', async () => {
      const at = { topic: await topic(), partition: 0 };
      const written = [...(await fill(at, 30)), ...(await fill(at, 30, 31))];
      const read = await readAll(at);
      expect(read.map(asAppended)).toEqual(written);
      expect(read.every(({ offset }, index) => index === 0 || offset > read[index - 1]!.offset)).toBe(true);
    });

    it('go to several topics and partitions in one batch', async () => {
      const [a, b] = [await topic(2), await topic()];
      const places = [
        { topic: a, partition: 1 },
        { topic: b, partition: 0 },
        { topic: a, partition: 0 },
      ];
      const written = Array.from({ length: 9 }, (_, index) => recordOf(places[index % 3]!, 1 + Math.floor(index / 3)));
      await log().append(written);
      for (const at of places) {
        const own = written.filter(({ topic: name, partition }) => name === at.topic && partition === at.partition);
        expect((await readAll(at)).map(asAppended)).toEqual(own);
      }
    });

    it('may be an empty list', async () => {
      await expect(log().append([])).resolves.toBeUndefined();
    });

    if (atomic) {
      it('are appended all or none: an unknown partition fails the batch', async () => {
        const at = { topic: await topic(), partition: 0 };
        await expect(log().append([recordOf(at, 1), recordOf({ ...at, partition: 7 }, 1)])).rejects.toMatchObject({
          code: 'log_unknown_topic',
        });
        expect(await log().bounds(at)).toEqual({ first: 0, next: 0 });
        expect(await log().last(at)).toBeNull();
      });
    }

    it('carry the wall time of their append, which never decreases', async () => {
      const at = { topic: await topic(), partition: 0 };
      const before = Date.now();
      await fill(at, 3);
      await fill(at, 3, 4);
      const times = (await readAll(at)).map(({ appendedAt }) => appendedAt);
      expect(times[0]).toBeGreaterThanOrEqual(before - 1_000);
      expect(times.at(-1)).toBeLessThanOrEqual(Date.now() + 1_000);
      expect(times.every((time, index) => index === 0 || time >= times[index - 1]!)).toBe(true);
    });

    it('lie between the first stored and the next offset', async () => {
      const at = { topic: await topic(), partition: 0 };
      const empty = await log().bounds(at);
      expect(empty.next).toBe(empty.first);
      await fill(at, 5);
      const { first, next } = await log().bounds(at);
      const read = await readAll(at);
      expect(read[0]!.offset).toBeGreaterThanOrEqual(first);
      expect(read.at(-1)!.offset).toBeLessThan(next);
      expect(next - first).toBeGreaterThanOrEqual(5);
    });

    it('include a last one, which a reader and a reopened log return too', async () => {
      const at = { topic: await topic(), partition: 0 };
      expect(await log().last(at)).toBeNull();
      const written = await fill(at, 5);
      const last = await log().last(at);
      expect(asAppended(last!)).toEqual(written[4]);
      expect((await readAll(at)).at(-1)).toEqual(last);
      await reopen();
      expect(await log().last(at)).toEqual(last);
    });

    it('are read one at a time, from an offset on', async () => {
      const at = { topic: await topic(), partition: 0 };
      expect(await log().recordFrom({ ...at, offset: 0 })).toBeNull();
      await fill(at, 5);
      const read = await readAll(at);
      const { first, next } = await log().bounds(at);
      for (let offset = first; offset < next; offset += 1)
        expect(await log().recordFrom({ ...at, offset })).toEqual(
          read.find((record) => record.offset >= offset) ?? null,
        );
      expect(await log().recordFrom({ ...at, offset: next })).toBeNull();
      expect(await log().recordFrom({ ...at, offset: next + 1 })).toBeNull();
      await reopen();
      expect(await log().recordFrom({ ...at, offset: read[1]!.offset })).toEqual(read[1]);
    });

    it('are found by the time of their append', async () => {
      const at = { topic: await topic(), partition: 0 };
      for (let batch = 0; batch < 4; batch += 1) {
        await fill(at, 2, 1 + batch * 2);
        await sleep(5);
      }
      const read = await readAll(at);
      for (const { appendedAt } of read) {
        const first = read.find((record) => record.appendedAt >= appendedAt)!;
        expect(await log().offsetAt(at, appendedAt)).toBe(first.offset);
      }
      expect(await log().offsetAt(at, 0)).toBe(read[0]!.offset);
      const { next } = await log().bounds(at);
      const later = await log().offsetAt(at, read.at(-1)!.appendedAt + 60_000);
      expect(later).toBeGreaterThan(read.at(-1)!.offset);
      expect(later).toBeLessThanOrEqual(next);
    });

    it('can be read from any offset', async () => {
      const at = { topic: await topic(), partition: 0 };
      await fill(at, 10);
      const middle = (await readAll(at))[6]!;
      const reader = await log().reader([{ ...at, offset: middle.offset }]);
      expect((await pollRecords(reader, 4)).records.map(({ seq }) => seq)).toEqual([7, 8, 9, 10]);
      await reader.close();
    });
  });
}
