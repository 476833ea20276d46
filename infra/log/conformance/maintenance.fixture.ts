/** What may be relied on of retention and compaction; part of `event-log.fixture.ts`. */
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
  // A broker does this by itself, when it likes: there is nothing to hold it to, so there are no such tests for it.
  if (!under.maintains) return;
  describe('maintenance', () => {
    testCompaction(under);
    testRetention(under);
  });
}

function testCompacted({ log, topic, readAll }: LogUnderTest): void {
  describe('a compacted topic', () => {
    it('always holds the newest record of each key, whatever was removed', async () => {
      const at = { topic: await topic(1, { kind: 'compacted' }), partition: 0 };
      for (let seq = 1; seq <= 60; seq += 1) await log().append([recordOf(at, seq, `key-${seq % 4}`)]);
      await log().maintain(Date.now(), EVERYTHING);
      const newest = new Map((await readAll(at)).map(({ key, seq }) => [key, seq]));
      expect(Object.fromEntries(newest)).toEqual({ 'key-0': 60, 'key-1': 57, 'key-2': 58, 'key-3': 59 });
    });
  });
}

function testCompaction({ log, topic, fill, take, readAll, reopen }: LogUnderTest): void {
  const seqsOf = async (at: { topic: string; partition: number }) => (await readAll(at)).map(({ seq }) => seq);

  it('leaves one record of each key on a compacted topic, where it stood', async () => {
    const at = { topic: await topic(1, { kind: 'compacted' }), partition: 0 };
    await fill(at, 23);
    const before = await readAll(at);
    expect(await log().maintain(Date.now(), EVERYTHING)).toBeGreaterThanOrEqual(18);
    expect(await readAll(at)).toEqual(before.slice(-5));
    expect((await log().bounds(at)).next).toBe(before.at(-1)!.offset + 1);
  });

  it('leaves superseded records for as long as the topic says', async () => {
    const at = { topic: await topic(1, { kind: 'compacted', supersededHours: 1 }), partition: 0 };
    for (let seq = 1; seq <= 3; seq += 1) await log().append([recordOf(at, seq, 'one')]);
    const [now, hour] = [Date.now(), 3_600_000];
    await log().maintain(now + hour - 1_000, EVERYTHING);
    expect(await seqsOf(at)).toEqual([1, 2, 3]);
    await log().maintain(now + hour + 1_000, EVERYTHING);
    expect(await seqsOf(at)).toEqual([3]);
  });

  it('goes on with the offsets after compaction and in a later log', async () => {
    const at = { topic: await topic(1, { kind: 'compacted' }), partition: 0 };
    for (let seq = 1; seq <= 5; seq += 1) await log().append([recordOf(at, seq, 'one')]);
    await log().maintain(Date.now(), EVERYTHING);
    await reopen();
    const last = await log().last(at);
    expect(last).toMatchObject({ seq: 5, offset: 4 });
    await log().append([recordOf(at, 6, 'one')]);
    expect((await log().last(at))?.offset).toBe(5);
  });

  it('leads a reader that stands in a hole to the next record', async () => {
    const at = { topic: await topic(1, { kind: 'compacted' }), partition: 0 };
    for (let seq = 1; seq <= 8; seq += 1) await log().append([recordOf(at, seq, 'one')]);
    const reader = await log().reader([{ ...at, offset: 0 }]);
    expect((await take(reader, 2, 2)).records.map(({ seq }) => seq)).toEqual([1, 2]);
    await log().maintain(Date.now(), EVERYTHING);
    expect((await take(reader, 1)).records.map(({ seq }) => seq)).toEqual([8]);
    await reader.close();
  });

  it('removes a key with its tombstone, once readers had a day to learn of it', async () => {
    const at = { topic: await topic(1, { kind: 'compacted' }), partition: 0 };
    await log().append([recordOf(at, 1, 'gone'), recordOf(at, 2, 'kept'), { ...recordOf(at, 3, 'gone'), value: null }]);
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

  it('compacts again when more has come', async () => {
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
  ] as const)('removes records of a %s topic by age, but for the last', async (_, retention, ageMs) => {
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

  it('keeps compacted topics whatever their age', async () => {
    const at = { topic: await topic(1, { kind: 'compacted' }), partition: 0 };
    await fill(at, 5);
    await log().maintain(Date.now() + 5_000 * DAY_MS, EVERYTHING);
    expect(await seqsOf(at)).toEqual([1, 2, 3, 4, 5]);
  });

  it('removes the oldest raw records, of whatever topic, above the size of all together', async () => {
    // What other tests left in raw topics goes first, but for the last records, which are less than a mebibyte.
    await log().maintain(Date.now() + 100 * DAY_MS, { ...EVERYTHING, rawMaxAgeMs: DAY_MS });
    const [old, young] = [await topic(), await topic()].map((name) => ({ topic: name, partition: 0 }));
    const derived = { topic: await topic(1, { kind: 'derived' }), partition: 0 };
    // Values that cannot be compressed take the room that they seem to.
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

  it('leaves everything while the raw topics are within their size', async () => {
    const at = { topic: await topic(), partition: 0 };
    const written = await fill(at, 20);
    expect(await log().maintain(Date.now(), EVERYTHING)).toBeGreaterThanOrEqual(0);
    expect((await readAll(at)).map(asAppended)).toEqual(written);
  });

  it('counts what it removed', async () => {
    const at = { topic: await topic(1, { kind: 'hours', hours: 1 }), partition: 0 };
    await log().maintain(Date.now(), EVERYTHING);
    await fill(at, 8);
    const { appendedAt } = (await log().last(at))!;
    const later = appendedAt + HOUR_MS + 1_000;
    expect(await log().maintain(later, EVERYTHING)).toBeGreaterThanOrEqual(7);
    expect(await log().maintain(later, EVERYTHING)).toBe(0);
  });
}
