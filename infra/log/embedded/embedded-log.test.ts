/** Behaviour of the embedded log beyond the conformance suite, within one process. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recordOf } from '../conformance/records.fixture.ts';
import type { EventLog } from '../log.ts';
import { openEmbeddedLog } from './open-embedded-log.ts';

const AT = { topic: 'a', partition: 0 };
const LIMITS = { rawMaxAgeMs: 1e12, rawMaxBytes: 1e12 };

describe('the embedded log', () => {
  let path: string;
  let log: EventLog;
  beforeEach(async () => {
    path = mkdtempSync(join(tmpdir(), 'parallax-embedded-'));
    log = await openEmbeddedLog({ path });
  });
  afterEach(async () => {
    await log.close();
    rmSync(path, { recursive: true, force: true });
  });

  it('returns the same records from memory and from the disk', async () => {
    await log.createTopics([{ name: 'a', partitions: 1, retention: { kind: 'raw' } }]);
    const records = Array.from({ length: 500 }, (_, index) => recordOf(AT, index + 1));
    await log.append(records);
    const read = async () => (await (await log.reader([{ ...AT, offset: 0 }])).poll(1_000, 1_000)).records;
    const fromMemory = await read();
    await log.close();
    log = await openEmbeddedLog({ path });
    expect(await read()).toEqual(fromMemory);
  });

  it('yields to timers and sockets during continuous appends', async () => {
    await log.createTopics([{ name: 'a', partitions: 1, retention: { kind: 'raw' } }]);
    let ticks = 0;
    const timer = setInterval(() => (ticks += 1), 1);
    const deadline = performance.now() + 300;
    for (let seq = 1; performance.now() < deadline; seq += 1) await log.append([recordOf(AT, seq)]);
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(5);
  });

  it('reuses the space of removed records instead of growing', async () => {
    await log.createTopics([{ name: 'a', partitions: 1, retention: { kind: 'compacted' } }]);
    const size = () => statSync(join(path, 'data.mdb')).size;
    let seq = 0;
    const round = async () => {
      for (let batch = 0; batch < 20; batch += 1) {
        const value = randomBytes(5_000);
        await log.append(
          Array.from({ length: 10 }, (_, index) => {
            seq += 1;
            return { ...recordOf(AT, seq, `key-${index}`), value };
          }),
        );
      }
      await log.maintain(Date.now(), LIMITS);
    };
    for (let warm = 0; warm < 4; warm += 1) await round();
    const before = size();
    for (let more = 0; more < 12; more += 1) await round();
    expect(size()).toBeLessThan(before * 2);
  });

  it('never removes a tombstone before what it removed, however early a compaction is stopped', async () => {
    await log.createTopics([{ name: 'a', partitions: 1, retention: { kind: 'compacted' } }]);
    const key = (index: number) => `key-${index}`;
    const keys = 10_000;
    await log.append(Array.from({ length: keys }, (_, index) => recordOf(AT, index + 1, key(index))));
    const tombstones = Array.from({ length: keys }, (_, index) => ({
      ...recordOf(AT, keys + 1 + index, key(index)),
      value: null,
    }));
    await log.append(tombstones);
    const inTwoDays = Date.now() + 48 * 3_600_000;
    const left: number[] = [];
    for (let turns = 1; left.at(-1) !== 1; turns += 1) {
      const stop = new AbortController();
      const maintenance = log.maintain(inTwoDays, LIMITS, stop.signal);
      for (let waited = 0; waited < turns; waited += 1) await turn();
      stop.abort();
      await maintenance;
      const reader = await log.reader([{ ...AT, offset: 0 }]);
      const { records } = await reader.poll(2 * keys, 0);
      await reader.close();
      left.push(records.length);
      const last = new Map(records.map((record) => [record.key, record.value]));
      expect([...last.values()].filter((value) => value !== null)).toEqual([]);
    }
    expect(new Set(left).size, 'a run was stopped in the middle').toBeGreaterThan(2);
  });

  it('runs maintenance in slices: other work continues meanwhile', async () => {
    await log.createTopics([{ name: 'a', partitions: 1, retention: { kind: 'compacted' } }]);
    for (let from = 1; from <= 40_000; from += 1_000)
      await log.append(Array.from({ length: 1_000 }, (_, index) => recordOf(AT, from + index, `key-${index}`)));
    let turns = 0;
    let running = true;
    const began = performance.now();
    const maintenance = log.maintain(Date.now(), LIMITS).finally(() => {
      running = false;
    });
    while (running) {
      await turn();
      turns += 1;
    }
    expect(await maintenance).toBe(39_000);
    // A slice is a few milliseconds; the bound leaves room for a loaded machine.
    expect(turns).toBeGreaterThan((performance.now() - began) / 30);
  });

  it('ends maintenance soon after its signal, and the next run does the rest', async () => {
    await log.createTopics([{ name: 'a', partitions: 1, retention: { kind: 'raw' } }]);
    // Too many blocks for one slice.
    const value = randomBytes(4_000);
    for (let from = 1; from <= 10_000; from += 1_000)
      await log.append(Array.from({ length: 1_000 }, (_, index) => ({ ...recordOf(AT, from + index), value })));
    const later = Date.now() + 1_000;
    const limits = { ...LIMITS, rawMaxAgeMs: 1 };
    const ending = new AbortController();
    const ended = log.maintain(later, limits, ending.signal);
    await turn();
    ending.abort();
    const removed = await ended;
    expect(removed).toBeLessThan(9_999);
    expect(await log.maintain(later, limits, ending.signal)).toBe(0);
    expect(removed + (await log.maintain(later, limits))).toBe(9_999);
  });

  it('can be cleared and closed during maintenance', async () => {
    await log.createTopics([{ name: 'a', partitions: 1, retention: { kind: 'compacted' } }]);
    for (let from = 1; from <= 20_000; from += 1_000)
      await log.append(Array.from({ length: 1_000 }, (_, index) => recordOf(AT, from + index)));
    const first = log.maintain(Date.now(), LIMITS);
    await log.clearTopic('a');
    await first;
    expect(await log.bounds(AT)).toEqual({ first: 0, next: 0 });
    const written = [recordOf(AT, 1), recordOf(AT, 2)];
    await log.append(written);
    const second = log.maintain(Date.now(), LIMITS);
    await log.close();
    await expect(second).resolves.toBeGreaterThanOrEqual(0);
    log = await openEmbeddedLog({ path });
    expect((await log.bounds(AT)).next).toBe(2);
  });

  it('starts an open reader over when its topic is cleared', async () => {
    await log.createTopics([{ name: 'a', partitions: 1, retention: { kind: 'raw' } }]);
    await log.append([recordOf(AT, 1), recordOf(AT, 2)]);
    const reader = await log.reader([{ ...AT, offset: 0 }]);
    expect((await reader.poll(10, 1_000)).records).toHaveLength(2);
    await log.clearTopic('a');
    await log.append([recordOf(AT, 7)]);
    expect((await reader.poll(10, 1_000)).records.map(({ seq, offset }) => [seq, offset])).toEqual([[7, 0]]);
  });

  it('deletes the commits of groups on a topic that is cleared', async () => {
    await log.createTopics([{ name: 'a', partitions: 1, retention: { kind: 'raw' } }]);
    await log.append([recordOf(AT, 1), recordOf(AT, 2)]);
    const member = await log.group('g', ['a']);
    await member.poll(10, 1_000);
    await member.commit([{ ...AT, offset: 2 }]);
    await log.clearTopic('a');
    await log.append([recordOf(AT, 9)]);
    expect((await member.poll(10, 1_000)).map(({ seq }) => seq)).toEqual([9]);
    await member.close();
    const later = await log.group('g', ['a']);
    expect((await later.poll(10, 1_000)).map(({ seq }) => seq)).toEqual([9]);
  });

  it('fences a commit from an earlier assignment of a partition that the member holds again', async () => {
    await log.createTopics([{ name: 'a', partitions: 1, retention: { kind: 'raw' } }]);
    await log.append([1, 2, 3, 4].map((seq) => recordOf(AT, seq)));
    const first = await log.group('g', ['a']);
    await first.poll(2, 1_000);
    await first.close();
    const second = await log.group('g', ['a']);
    await second.poll(4, 1_000);
    await second.commit([{ ...AT, offset: 4 }]);
    await second.close();
    const third = await log.group('g', ['a']);
    await expect(third.commit([{ ...AT, offset: 2 }])).rejects.toMatchObject({ code: 'log_fenced' });
    await third.commit([{ ...AT, offset: 4 }]);
  });

  it('applies a changed retention of a topic without losing its records', async () => {
    await log.createTopics([{ name: 'a', partitions: 1, retention: { kind: 'raw' } }]);
    await log.append([recordOf(AT, 1, 'k'), recordOf(AT, 2, 'k')]);
    await log.createTopics([{ name: 'a', partitions: 1, retention: { kind: 'compacted' } }]);
    expect(await log.maintain(Date.now(), LIMITS)).toBe(1);
    expect((await log.bounds(AT)).first).toBe(1);
  });

  it('never returns decreasing append times, whatever the wall clock does', async () => {
    await log.createTopics([{ name: 'a', partitions: 1, retention: { kind: 'raw' } }]);
    const real = Date.now;
    try {
      Date.now = () => real() + 60_000;
      await log.append([recordOf(AT, 1)]);
    } finally {
      Date.now = real;
    }
    await log.append([recordOf(AT, 2)]);
    await log.close();
    log = await openEmbeddedLog({ path });
    await log.append([recordOf(AT, 3)]);
    const { records } = await (await log.reader([{ ...AT, offset: 0 }])).poll(10, 1_000);
    const times = records.map(({ appendedAt }) => appendedAt);
    expect(times).toEqual([times[0], times[0], times[0]]);
  });
});
