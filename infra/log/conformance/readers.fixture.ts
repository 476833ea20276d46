/** Conformance tests for readers and watermarks; part of `event-log.fixture.ts`. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { LogReader, LogRecord, TopicPartition, Watermark } from '../log.ts';
import { asAppended, recordOf } from './records.fixture.ts';
import type { LogUnderTest } from './under-test.fixture.ts';

export function testReaders(under: LogUnderTest): void {
  testPolling(under);
  testWatermarks(under);
}

function testPolling({ log, topic, fill, pollRecords, timeoutMs }: LogUnderTest): void {
  describe('a reader', () => {
    it('waits for the next append', async () => {
      const at = { topic: await topic(), partition: 0 };
      const reader = await log().reader([{ ...at, offset: 0 }]);
      const waiting = reader.poll(10, timeoutMs);
      const [written] = await fill(at, 1);
      expect((await waiting).records.map(asAppended)).toEqual([written]);
      await reader.close();
    });

    it('returns an empty batch if nothing arrives in time', async () => {
      const at = { topic: await topic(), partition: 0 };
      const reader = await log().reader([{ ...at, offset: 0 }]);
      const began = performance.now();
      expect(await reader.poll(10, 60)).toEqual({ records: [], watermarks: [] });
      expect(performance.now() - began).toBeGreaterThan(50);
      await reader.close();
    });

    it('does not wait any more once its waits are ended, but reads on', async () => {
      const at = { topic: await topic(), partition: 0 };
      const reader = await log().reader([{ ...at, offset: 0 }]);
      const waiting = reader.poll(10, 60_000);
      reader.endWaits();
      expect(await waiting).toEqual({ records: [], watermarks: [] });
      const [written] = await fill(at, 1);
      const found: LogRecord[] = [];
      const deadline = Date.now() + timeoutMs;
      while (found.length === 0 && Date.now() < deadline) {
        found.push(...(await reader.poll(10, 60_000)).records);
        await sleep(5);
      }
      expect(found.map(asAppended)).toEqual([written]);
      await reader.close();
    });

    it('waits for records that it has not reached yet while their writer keeps advancing the watermark', async () => {
      const name = await topic(2);
      const at = { topic: name, partition: 0 };
      const far = recordOf(at, 1_000_000).receivedAt;
      const written = await fill(at, 50);
      log().advance([{ ...at, watermark: far }]);
      const reader = await log().reader([0, 1].map((partition) => ({ topic: name, partition, offset: 0 })));
      // Advances in the turn in which the reader starts to fetch, and in each later one.
      let watermark = far;
      const promise = () => {
        watermark += 1;
        log().advance([{ ...at, watermark }]);
      };
      const waiting = reader.poll(100, timeoutMs);
      promise();
      const promising = setInterval(promise, 1);
      try {
        const { records } = await waiting;
        expect(records.map(asAppended)).toEqual(written);
      } finally {
        clearInterval(promising);
        await reader.close();
      }
    });

    it('never returns more records than requested, and misses none', async () => {
      const at = { topic: await topic(), partition: 0 };
      const written = await fill(at, 250);
      const reader = await log().reader([{ ...at, offset: 0 }]);
      const seqs: number[] = [];
      const deadline = Date.now() + timeoutMs;
      while (seqs.length < written.length && Date.now() < deadline) {
        const { records } = await reader.poll(33, 500);
        expect(records.length).toBeLessThanOrEqual(33);
        seqs.push(...records.map(({ seq }) => seq));
      }
      expect(seqs).toEqual(written.map(({ seq }) => seq));
      await reader.close();
    });

    it('reads several partitions, each in order, and a busy one does not starve a quiet one', async () => {
      const name = await topic(2);
      await fill({ topic: name, partition: 0 }, 4_000);
      await fill({ topic: name, partition: 1 }, 1);
      const reader = await log().reader([
        { topic: name, partition: 0, offset: 0 },
        { topic: name, partition: 1, offset: 0 },
      ]);
      const { records } = await pollRecords(reader, 4_001, 100);
      const quiet = records.findIndex(({ partition }) => partition === 1);
      expect(quiet).toBeGreaterThanOrEqual(0);
      expect(quiet).toBeLessThan(4_000);
      const busy = records.filter(({ partition }) => partition === 0).map(({ seq }) => seq);
      expect(busy).toEqual(Array.from({ length: 4_000 }, (_, index) => index + 1));
      await reader.close();
    });

    it('does not affect other readers', async () => {
      const at = { topic: await topic(), partition: 0 };
      const readers = await Promise.all([0, 1, 2].map(() => log().reader([{ ...at, offset: 0 }])));
      const written = await fill(at, 20);
      for (const reader of readers) {
        expect((await pollRecords(reader, 20)).records.map(asAppended)).toEqual(written);
        await reader.close();
      }
    });

    it('returns nothing of a paused partition until it is resumed', async () => {
      const name = await topic(2);
      const [held, free] = [
        { topic: name, partition: 0 },
        { topic: name, partition: 1 },
      ];
      const reader = await log().reader([
        { ...held, offset: 0 },
        { ...free, offset: 0 },
      ]);
      reader.pause(held, true);
      await fill(held, 5);
      await fill(free, 5);
      expect((await pollRecords(reader, 5)).records.map(({ partition }) => partition)).toEqual([1, 1, 1, 1, 1]);
      expect((await reader.poll(10, 100)).records).toEqual([]);
      reader.pause(held, false);
      expect((await pollRecords(reader, 5)).records.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
      await reader.close();
    });

    it('continues at its position after a pause', async () => {
      const at = { topic: await topic(), partition: 0 };
      await fill(at, 10);
      const reader = await log().reader([{ ...at, offset: 0 }]);
      const { records } = await pollRecords(reader, 4, 4);
      reader.pause(at, true);
      await fill(at, 5, 11);
      expect((await reader.poll(100, 50)).records).toEqual([]);
      reader.pause(at, false);
      const rest = await pollRecords(reader, 11);
      expect([...records, ...rest.records].map(({ seq }) => seq)).toEqual(Array.from({ length: 15 }, (_, i) => i + 1));
      await reader.close();
    });

    it('rejects polls after it was closed', async () => {
      const at = { topic: await topic(), partition: 0 };
      const reader = await log().reader([{ ...at, offset: 0 }]);
      await reader.close();
      await expect(reader.poll(1, 10)).rejects.toMatchObject({ code: 'log_closed' });
    });
  });
}

function testWatermarks({ log, topic, fill, timeoutMs }: LogUnderTest): void {
  /** Polls until this watermark has arrived; returns everything that arrived before it, in order. */
  async function pollUntil(reader: LogReader, watermark: number, maxRecords = 100) {
    const seen: (number | Watermark)[] = [];
    const deadline = Date.now() + timeoutMs;
    while (Date.now() < deadline) {
      const batch = await reader.poll(maxRecords, 200);
      seen.push(...batch.records.map(({ seq }) => seq), ...batch.watermarks);
      if (batch.watermarks.some((mark) => mark.watermark === watermark)) return seen;
    }
    throw new Error(`the watermark ${watermark} did not arrive in ${timeoutMs} ms`);
  }
  const marksOf = (seen: readonly (number | Watermark)[]) => seen.filter((entry) => typeof entry !== 'number');

  describe('a watermark', () => {
    it('is delivered for a partition without records too', async () => {
      const name = await topic(2);
      const reader = await log().reader([0, 1].map((partition) => ({ topic: name, partition, offset: 0 })));
      log().advance([{ topic: name, partition: 1, watermark: 5_000 }]);
      expect(marksOf(await pollUntil(reader, 5_000))).toEqual([{ topic: name, partition: 1, watermark: 5_000 }]);
      await reader.close();
    });

    it('wakes a waiting reader', async () => {
      const at = { topic: await topic(), partition: 0 };
      const reader = await log().reader([{ ...at, offset: 0 }]);
      const waiting = pollUntil(reader, 7_000);
      log().advance([{ ...at, watermark: 7_000 }]);
      expect(marksOf(await waiting)).toEqual([{ ...at, watermark: 7_000 }]);
      await reader.close();
    });

    it('is delivered only after every record that was appended before it', async () => {
      const at = { topic: await topic(), partition: 0 };
      await fill(at, 3);
      log().advance([{ ...at, watermark: 1_900_000_000_003 }]);
      const reader = await log().reader([{ ...at, offset: 0 }]);
      const seen = await pollUntil(reader, 1_900_000_000_003, 1);
      expect(seen).toEqual([1, 2, 3, { ...at, watermark: 1_900_000_000_003 }]);
      await reader.close();
    });

    it('is not delayed by records that were appended after it', async () => {
      const at = { topic: await topic(), partition: 0 };
      await fill(at, 2);
      const reader = await log().reader([{ ...at, offset: 0 }]);
      log().advance([{ ...at, watermark: 1_900_000_000_002 }]);
      await pollUntil(reader, 1_900_000_000_002);
      await fill(at, 4, 3);
      const { records, watermarks } = await reader.poll(2, timeoutMs);
      expect(records.length).toBeGreaterThan(0);
      for (const mark of watermarks) expect(mark.watermark).toBe(1_900_000_000_002);
      await reader.close();
    });

    it('never decreases', async () => {
      const at = { topic: await topic(), partition: 0 };
      const reader = await log().reader([{ ...at, offset: 0 }]);
      for (const watermark of [10, 30, 20, 25, 40]) log().advance([{ ...at, watermark }]);
      const marks = marksOf(await pollUntil(reader, 40)).map((mark) => mark.watermark);
      expect(marks).toEqual([...marks].sort((a, b) => a - b));
      expect(marks).not.toContain(20);
      expect(marks).not.toContain(25);
      await reader.close();
    });

    it('reaches a reader that is opened later', async () => {
      const at = { topic: await topic(), partition: 0 };
      await log().append([recordOf(at, 1)]);
      log().advance([{ ...at, watermark: 1_900_000_000_001 }]);
      const early = await log().reader([{ ...at, offset: 0 }]);
      await pollUntil(early, 1_900_000_000_001);
      await early.close();
      const late = await log().reader([{ ...at, offset: 0 }]);
      expect((await pollUntil(late, 1_900_000_000_001)).at(-1)).toEqual({ ...at, watermark: 1_900_000_000_001 });
      await late.close();
    });

    it('of a paused partition is delivered once it is resumed', async () => {
      const name = await topic(2);
      const [held, free]: TopicPartition[] = [0, 1].map((partition) => ({ topic: name, partition }));
      const reader = await log().reader([0, 1].map((partition) => ({ topic: name, partition, offset: 0 })));
      reader.pause(held!, true);
      log().advance([
        { ...held!, watermark: 100 },
        { ...free!, watermark: 200 },
      ]);
      expect(marksOf(await pollUntil(reader, 200))).toEqual([{ ...free!, watermark: 200 }]);
      reader.pause(held!, false);
      expect(marksOf(await pollUntil(reader, 100))).toContainEqual({ ...held!, watermark: 100 });
      await reader.close();
    });
  });
}
