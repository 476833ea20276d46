/**
 * What may be relied on of an event log, as tests. Each adapter runs them all; a behaviour that is not shown here may
 * not be relied on. Every test makes topics of its own, so that a broker can be shared by all of them.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Retention } from '#schemas/topics/topic';
import { testGroups } from './conformance-groups.ts';
import { testMaintenance } from './conformance-maintenance.ts';
import { testReaders } from './conformance-readers.ts';
import type { AppendRecord, EventLog, LogReader, LogRecord, TopicPartition, Watermark } from './log.ts';

/** In what adapters may differ. */
export interface LogCapabilities {
  /** `maintain` removes what has to go and says how much; false where a broker does it in its own time. */
  readonly maintains: boolean;
  /** `append` takes the whole batch or nothing, also when one of its partitions does not exist. */
  readonly atomic: boolean;
  /** After `clearTopic` the offsets go on where they were instead of starting over. */
  readonly offsetsGoOn?: boolean;
  /** Longest that anything expected to happen may take, ms. */
  readonly patienceMs: number;
}

export interface OpenedLog {
  readonly log: EventLog;
  /** Closes the log and opens it again over the same data. */
  reopen(): Promise<EventLog>;
  /** Closes it for good and cleans up. */
  dispose(): Promise<void>;
}

/** What the tests work with. */
export interface LogUnderTest extends LogCapabilities {
  /** The log as it is opened now. */
  log(): EventLog;
  reopen(): Promise<void>;
  /** Makes a topic under a new name and gives the name. */
  topic(partitions?: number, retention?: Retention): Promise<string>;
  /** Makes records for a partition with `seq` from `from` on, and appends them. */
  fill(at: TopicPartition, count: number, from?: number): Promise<AppendRecord[]>;
  /** Polls until `count` records have come. */
  take(
    reader: LogReader,
    count: number,
    maxRecords?: number,
  ): Promise<{ records: LogRecord[]; watermarks: Watermark[] }>;
  /** Every record that a partition holds. */
  readAll(at: TopicPartition): Promise<LogRecord[]>;
}

/** A record with recognisable contents. */
export function recordOf(at: TopicPartition, seq: number, key = `key-${seq % 5}`): AppendRecord {
  const { topic, partition } = at;
  return { topic, partition, key, value: Buffer.from(`${partition}:${seq}`), receivedAt: 1_900_000_000_000 + seq, seq };
}

/** Only what a writer handed over, for comparing with what was read. */
export function asAppended({ topic, partition, key, value, receivedAt, seq }: LogRecord): AppendRecord {
  return { topic, partition, key, value, receivedAt, seq };
}

/** Runs the whole suite against one adapter. `open` is called once; `dispose` after the last test. */
export function describeEventLog(name: string, open: () => Promise<OpenedLog>, capabilities: LogCapabilities): void {
  describe(`event log: ${name}`, { timeout: capabilities.patienceMs * 4 }, () => {
    let opened: OpenedLog;
    let log: EventLog;
    beforeAll(async () => {
      opened = await open();
      log = opened.log;
    }, capabilities.patienceMs * 4);
    afterAll(() => opened?.dispose(), capabilities.patienceMs * 4);
    const under = underTest(
      capabilities,
      () => log,
      async () => {
        log = await opened.reopen();
      },
    );
    testTopics(under);
    testRecords(under);
    testReaders(under);
    testGroups(under);
    testMaintenance(under);
    testClosing(under);
  });
}

function underTest(capabilities: LogCapabilities, log: () => EventLog, reopen: () => Promise<void>): LogUnderTest {
  const { patienceMs } = capabilities;
  const take: LogUnderTest['take'] = async (reader, count, maxRecords = 1_000) => {
    const records: LogRecord[] = [];
    const watermarks: Watermark[] = [];
    const deadline = Date.now() + patienceMs;
    while (records.length < count) {
      if (Date.now() > deadline) throw new Error(`${records.length} of ${count} records came in ${patienceMs} ms`);
      const batch = await reader.poll(Math.min(maxRecords, count - records.length), 500);
      records.push(...batch.records);
      watermarks.push(...batch.watermarks);
    }
    return { records, watermarks };
  };
  return {
    ...capabilities,
    log,
    reopen,
    take,
    async topic(partitions = 1, retention = { kind: 'raw' }) {
      const name = `conformance.${randomUUID().slice(0, 8)}`;
      await log().createTopics([{ name, partitions, retention }]);
      return name;
    },
    async fill(at, count, from = 1) {
      const records = Array.from({ length: count }, (_, index) => recordOf(at, from + index));
      await log().append(records);
      return records;
    },
    async readAll(at) {
      const last = await log().last(at);
      if (!last) return [];
      const { first } = await log().bounds(at);
      const reader = await log().reader([{ ...at, offset: first }]);
      try {
        const records: LogRecord[] = [];
        const deadline = Date.now() + patienceMs;
        while ((records.at(-1)?.offset ?? -1) < last.offset) {
          if (Date.now() > deadline) throw new Error(`${at.topic} was not read to offset ${last.offset}`);
          records.push(...(await reader.poll(1_000, 500)).records);
        }
        return records;
      } finally {
        await reader.close();
      }
    },
  };
}

function testTopics({ log, topic, reopen, readAll, fill, offsetsGoOn }: LogUnderTest): void {
  describe('topics', () => {
    it('are made once: making them again changes nothing', async () => {
      const name = await topic(2);
      await fill({ topic: name, partition: 1 }, 3);
      await log().createTopics([{ name, partitions: 2, retention: { kind: 'raw' } }]);
      expect(await readAll({ topic: name, partition: 1 })).toHaveLength(3);
    });

    it('keep their partition count', async () => {
      const name = await topic(2);
      await expect(log().createTopics([{ name, partitions: 3, retention: { kind: 'raw' } }])).rejects.toMatchObject({
        name: 'LogError',
      });
    });

    it('are unknown until made', async () => {
      const at = { topic: `missing.${randomUUID()}`, partition: 0 };
      const unknown = expect.objectContaining({ code: 'log_unknown_topic', canRetry: false });
      await expect(log().append([recordOf(at, 1)])).rejects.toEqual(unknown);
      await expect(log().bounds(at)).rejects.toEqual(unknown);
      await expect(log().last(at)).rejects.toEqual(unknown);
      await expect(log().reader([{ ...at, offset: 0 }])).rejects.toEqual(unknown);
      await expect(log().group('g', [at.topic])).rejects.toEqual(unknown);
    });

    it('have no partition beyond their count', async () => {
      const name = await topic(2);
      await expect(log().append([recordOf({ topic: name, partition: 2 }, 1)])).rejects.toMatchObject({
        code: 'log_unknown_topic',
      });
    });

    it('outlive the log that made them, with their records', async () => {
      const at = { topic: await topic(), partition: 0 };
      const written = await fill(at, 4);
      await reopen();
      expect((await readAll(at)).map(asAppended)).toEqual(written);
    });

    it(`are empty when cleared, and their offsets ${offsetsGoOn ? 'go on' : 'start over'}`, async () => {
      const next = offsetsGoOn ? 5 : 0;
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

function testRecords({ log, topic, fill, take, readAll, atomic, reopen }: LogUnderTest): void {
  describe('records', () => {
    it('come back as they were written', async () => {
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

    it('tell a tombstone from an empty value', async () => {
      const at = { topic: await topic(1, { kind: 'compacted' }), partition: 0 };
      await log().append([{ ...recordOf(at, 1, 'a'), value: Buffer.alloc(0) }]);
      await log().append([{ ...recordOf(at, 2, 'b'), value: null }]);
      const values = (await readAll(at)).map(({ value }) => value);
      expect(values).toEqual([Buffer.alloc(0), null]);
      await reopen();
      expect((await log().last(at))?.value).toBeNull();
    });

    it('may be as large as a piece of a snapshot', async () => {
      const at = { topic: await topic(), partition: 0 };
      const value = Buffer.alloc(512 * 1024, 'piece');
      await log().append([{ ...recordOf(at, 1), value }]);
      expect((await log().last(at))?.value?.equals(value)).toBe(true);
      expect((await readAll(at))[0]?.value?.equals(value)).toBe(true);
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

    it('may be none', async () => {
      await expect(log().append([])).resolves.toBeUndefined();
    });

    if (atomic) {
      it('are taken all or none: an unknown partition takes the batch with it', async () => {
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

    it('are bounded by the first kept and the next offset', async () => {
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

    it('have a last one, which a reader and a later log see too', async () => {
      const at = { topic: await topic(), partition: 0 };
      expect(await log().last(at)).toBeNull();
      const written = await fill(at, 5);
      const last = await log().last(at);
      expect(asAppended(last!)).toEqual(written[4]);
      expect((await readAll(at)).at(-1)).toEqual(last);
      await reopen();
      expect(await log().last(at)).toEqual(last);
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

    it('are read from any offset on', async () => {
      const at = { topic: await topic(), partition: 0 };
      await fill(at, 10);
      const middle = (await readAll(at))[6]!;
      const reader = await log().reader([{ ...at, offset: middle.offset }]);
      expect((await take(reader, 4)).records.map(({ seq }) => seq)).toEqual([7, 8, 9, 10]);
      await reader.close();
    });
  });
}

function testClosing({ log, topic, fill, reopen }: LogUnderTest): void {
  describe('a closed log', () => {
    it('refuses everything and wakes who waits', async () => {
      const at = { topic: await topic(), partition: 0 };
      await fill(at, 1);
      const before = log();
      const reader = await before.reader([{ ...at, offset: (await before.bounds(at)).next }]);
      const waiting = expect(reader.poll(10, 60_000)).rejects.toMatchObject({ code: 'log_closed' });
      await reopen();
      await waiting;
      const closed = expect.objectContaining({ code: 'log_closed', canRetry: false });
      await expect(before.append([recordOf(at, 2)])).rejects.toEqual(closed);
      await expect(before.bounds(at)).rejects.toEqual(closed);
      await expect(before.reader([{ ...at, offset: 0 }])).rejects.toEqual(closed);
      await expect(before.close()).resolves.toBeUndefined();
    });
  });
}
