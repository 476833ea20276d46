/** Conformance tests for retention and compaction; part of `event-log.fixture.ts`. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { asAppended, recordOf } from './records.fixture.ts';
import type { LogUnderTest } from './under-test.fixture.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const EVERYTHING = { rawMaxAgeMs: 1_000 * DAY_MS, rawMaxBytes: 2 ** 50 };
const MEBIBYTE = 2 ** 20;

export function testMaintenance(under: LogUnderTest): void {
  testCompacted(under);
  // A broker does this in its own time, so there is nothing to assert for it.
  if (!under.maintains) return;
  describe('maintenance', () => {
    testCompaction(under);
    testRetention(under);
  });
}

function testCompacted({ log, topic, readAll }: LogUnderTest): void {
  describe('a compacted topic', () => {
    it('always holds the newest record of each key', async () => {
      const at = { topic: await topic(1, { kind: 'compacted' }), partition: 0 };
      for (let seq = 1; seq <= 60; seq += 1) await log().append([recordOf(at, seq, `key-${seq % 4}`)]);
      await log().maintain(Date.now(), EVERYTHING);
      const newest = new Map((await readAll(at)).map(({ key, seq }) => [key, seq]));
      expect(Object.fromEntries(newest)).toEqual({ 'key-0': 60, 'key-1': 57, 'key-2': 58, 'key-3': 59 });
    });
  });
}

function testCompaction({ log, topic, fill, pollRecords, readAll, reopen }: LogUnderTest): void {
  const seqsOf = async (at: { topic: string; partition: number }) => (await readAll(at)).map(({ seq }) => seq);

  it('leaves one record of each key in a compacted topic, at its offset', async () => {
    const at = { topic: await topic(1, { kind: 'compacted' }), partition: 0 };
    await fill(at, 23);
    const before = await readAll(at);
    expect(await log().maintain(Date.now(), EVERYTHING)).toBeGreaterThanOrEqual(18);
    expect(await readAll(at)).toEqual(before.slice(-5));
    expect((await log().bounds(at)).next).toBe(before.at(-1)!.offset + 1);
  });

  it('stores superseded records as long as the topic is configured to', async () => {
    const at = { topic: await topic(1, { kind: 'compacted', supersededHours: 1 }), partition: 0 };
    for (let seq = 1; seq <= 3; seq += 1) await log().append([recordOf(at, seq, 'one')]);
    const [now, hour] = [Date.now(), 3_600_000];
    await log().maintain(now + hour - 1_000, EVERYTHING);
    expect(await seqsOf(at)).toEqual([1, 2, 3]);
    await log().maintain(now + hour + 1_000, EVERYTHING);
    expect(await seqsOf(at)).toEqual([3]);
  });

  it('continues the offsets after compaction and in a reopened log', async () => {
    const at = { topic: await topic(1, { kind: 'compacted' }), partition: 0 };
    for (let seq = 1; seq <= 5; seq += 1) await log().append([recordOf(at, seq, 'one')]);
    await log().maintain(Date.now(), EVERYTHING);
    await reopen();
    const last = await log().last(at);
    expect(last).toMatchObject({ seq: 5, offset: 4 });
    await log().append([recordOf(at, 6, 'one')]);
    expect((await log().last(at))?.offset).toBe(5);
  });

  it('moves a reader inside an offset gap to the next record', async () => {
    const at = { topic: await topic(1, { kind: 'compacted' }), partition: 0 };
    for (let seq = 1; seq <= 8; seq += 1) await log().append([recordOf(at, seq, 'one')]);
    const reader = await log().reader([{ ...at, offset: 0 }]);
    expect((await pollRecords(reader, 2, 2)).records.map(({ seq }) => seq)).toEqual([1, 2]);
    await log().maintain(Date.now(), EVERYTHING);
    expect((await pollRecords(reader, 1)).records.map(({ seq }) => seq)).toEqual([8]);
    await reader.close();
  });

  it('removes a key with its tombstone after one day', async () => {
    const at = { topic: await topic(1, { kind: 'compacted' }), partition: 0 };
    await log().append([
      recordOf(at, 1, 'gone'),
      recordOf(at, 2, 'stays'),
      { ...recordOf(at, 3, 'gone'), value: null },
    ]);
    await log().append([recordOf(at, 4, 'other')]);
    await log().maintain(Date.now(), EVERYTHING);
    expect(await seqsOf(at)).toEqual([2, 3, 4]);
    await log().maintain(Date.now() + DAY_MS + HOUR_MS, EVERYTHING);
    expect(await seqsOf(at)).toEqual([2, 4]);
  });

  it('never removes the last record of a partition, not even a tombstone', async () => {
    const at = { topic: await topic(1, { kind: 'compacted' }), partition: 0 };
    await log().append([recordOf(at, 1, 'a'), { ...recordOf(at, 2, 'a'), value: null }]);
    await log().maintain(Date.now() + 2 * DAY_MS, EVERYTHING);
    expect(await seqsOf(at)).toEqual([2]);
    expect((await log().last(at))?.seq).toBe(2);
  });

  it('compacts again after more appends', async () => {
    const at = { topic: await topic(1, { kind: 'compacted' }), partition: 0 };
    for (const from of [1, 21, 41]) {
      await fill(at, 20, from);
      await log().maintain(Date.now(), EVERYTHING);
      expect(await seqsOf(at)).toEqual([15, 16, 17, 18, 19].map((seq) => from + seq));
    }
  });
}

function testRetention({ log, topic, fill, readAll, reopen }: LogUnderTest): void {
  const seqsOf = async (at: { topic: string; partition: number }) => (await readAll(at)).map(({ seq }) => seq);

  it.each([
    ['raw', { kind: 'raw' }, 10 * HOUR_MS],
    ['derived', { kind: 'derived' }, 10 * HOUR_MS],
    ['hours', { kind: 'hours', hours: 48 }, 48 * HOUR_MS],
  ] as const)('removes records of a %s topic by age, except the last one', async (_, retention, ageMs) => {
    const at = { topic: await topic(1, retention), partition: 0 };
    await fill(at, 5);
    const { appendedAt } = (await log().last(at))!;
    const limits = { ...EVERYTHING, rawMaxAgeMs: 10 * HOUR_MS };
    await log().maintain(appendedAt + ageMs - 1_000, limits);
    expect(await seqsOf(at)).toEqual([1, 2, 3, 4, 5]);
    expect(await log().maintain(appendedAt + ageMs + 1_000, limits)).toBeGreaterThanOrEqual(4);
    expect(await seqsOf(at)).toEqual([5]);
    expect((await log().bounds(at)).first).toBe(4);
    await reopen();
    await fill(at, 1, 6);
    expect((await log().last(at))?.offset).toBe(5);
  });

  it('does not remove records of compacted topics by age', async () => {
    const at = { topic: await topic(1, { kind: 'compacted' }), partition: 0 };
    await fill(at, 5);
    await log().maintain(Date.now() + 5_000 * DAY_MS, EVERYTHING);
    expect(await seqsOf(at)).toEqual([1, 2, 3, 4, 5]);
  });

  it('removes the oldest raw records of all topics above their total size limit', async () => {
    // Remove what other tests left in raw topics, except the last records, which are less than a mebibyte.
    await log().maintain(Date.now() + 100 * DAY_MS, { ...EVERYTHING, rawMaxAgeMs: DAY_MS });
    const [old, young] = [await topic(), await topic()].map((name) => ({ topic: name, partition: 0 }));
    const derived = { topic: await topic(1, { kind: 'derived' }), partition: 0 };
    // Incompressible values need as much disk as their size.
    for (const at of [old!, young!, derived]) {
      for (let seq = 1; seq <= 20; seq += 1)
        await log().append([{ ...recordOf(at, seq), value: randomBytes(MEBIBYTE / 5) }]);
      const { appendedAt } = (await log().last(at))!;
      while (Date.now() <= appendedAt) await sleep(1);
    }
    expect(await log().maintain(Date.now(), { ...EVERYTHING, rawMaxBytes: 6 * MEBIBYTE })).toBeGreaterThan(0);
    const left = await seqsOf(old!);
    expect(left.length).toBeLessThan(20);
    expect(left.length).toBeGreaterThan(1);
    expect(left).toEqual(Array.from({ length: left.length }, (_, index) => 21 - left.length + index));
    expect(await seqsOf(young!)).toHaveLength(20);
    expect(await seqsOf(derived)).toHaveLength(20);
  });

  it('removes nothing while the raw topics are within their size limit', async () => {
    const at = { topic: await topic(), partition: 0 };
    const written = await fill(at, 20);
    expect(await log().maintain(Date.now(), EVERYTHING)).toBeGreaterThanOrEqual(0);
    expect((await readAll(at)).map(asAppended)).toEqual(written);
  });

  it('returns the number of removed records', async () => {
    const at = { topic: await topic(1, { kind: 'hours', hours: 1 }), partition: 0 };
    await log().maintain(Date.now(), EVERYTHING);
    await fill(at, 8);
    const { appendedAt } = (await log().last(at))!;
    const later = appendedAt + HOUR_MS + 1_000;
    expect(await log().maintain(later, EVERYTHING)).toBeGreaterThanOrEqual(7);
    expect(await log().maintain(later, EVERYTHING)).toBe(0);
  });
}
