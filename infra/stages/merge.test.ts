import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LogRecord } from '../log/log.ts';
import { MergedInput, OrderError } from './merge.ts';

const record = (topic: string, partition: number, offset: number, receivedAt: number, seq = offset + 1): LogRecord => ({
  topic,
  partition,
  offset,
  receivedAt,
  seq,
  key: 'k',
  value: Buffer.alloc(0),
  appendedAt: 0,
});
const never = () => {};
const consume = (input: MergedInput, max = 1_000) => {
  const names: string[] = [];
  input.consume(max, ({ topic, partition, offset }) => void names.push(`${topic}/${partition}/${offset}`));
  return names;
};
const at = (topic: string, partition = 0) => ({ topic, partition, offset: 0 });

describe('the merged order', () => {
  it('sorts by receive time, then topic, then partition, then offset', () => {
    const input = new MergedInput([at('b'), at('a', 1), at('a', 0)], never);
    input.push({
      records: [
        record('b', 0, 0, 5),
        record('a', 1, 0, 5),
        record('a', 1, 1, 5),
        record('a', 0, 0, 5),
        record('b', 0, 1, 4 + 2),
      ],
      watermarks: [],
    });
    for (const partition of [at('a', 0), at('a', 1), at('b')]) input.finish(partition);
    expect(consume(input)).toEqual(['a/0/0', 'a/1/0', 'a/1/1', 'b/0/0', 'b/0/1']);
  });

  it('counts a dropped repeat as consumed, once everything before it is', () => {
    const input = new MergedInput([at('a')], never);
    input.push({
      records: [record('a', 0, 0, 5, 1), record('a', 0, 1, 6, 2), record('a', 0, 2, 6, 2)],
      watermarks: [],
    });
    input.finish(at('a'));
    expect(consume(input, 1)).toEqual(['a/0/0']);
    expect(input.nextOffsets().get('a/0')).toBe(1);
    expect(consume(input)).toEqual(['a/0/1']);
    expect(input.nextOffsets().get('a/0')).toBe(3);
    input.push({ records: [record('a', 0, 3, 6, 2)], watermarks: [] });
    expect(input.nextOffsets().get('a/0')).toBe(4);
  });

  it('waits for a partition without a watermark', () => {
    const input = new MergedInput([at('a'), at('b')], never);
    input.push({ records: [record('a', 0, 0, 5)], watermarks: [] });
    expect(consume(input)).toEqual([]);
    expect(input.position()).toBe(Number.NEGATIVE_INFINITY);
  });

  it('consumes records before the lowest watermark, and at it only those that sort first', () => {
    const input = new MergedInput([at('a'), at('b'), at('c')], never);
    input.push({
      records: [record('a', 0, 0, 5), record('a', 0, 1, 6), record('c', 0, 0, 5), record('c', 0, 1, 6)],
      watermarks: [{ ...at('b'), watermark: 6 }],
    });
    expect(consume(input)).toEqual(['a/0/0', 'c/0/0', 'a/0/1']);
    expect(input.position()).toBe(6);
    input.push({
      records: [],
      watermarks: [
        { ...at('b'), watermark: 7 },
        { ...at('a'), watermark: 9 },
      ],
    });
    expect(consume(input)).toEqual(['c/0/1']);
    input.push({ records: [], watermarks: [{ ...at('c'), watermark: 8 }] });
    expect(input.position()).toBe(7);
  });

  it('processes a backlog before its watermark is reached', () => {
    const input = new MergedInput([at('a'), at('b')], never);
    input.push({ records: [], watermarks: [{ ...at('a'), watermark: 1 }] });
    // A reader returns a watermark once every record before it is read: of a long backlog only the records are known.
    input.push({ records: [record('a', 0, 0, 50), record('b', 0, 0, 20), record('b', 0, 1, 60)], watermarks: [] });
    expect(consume(input)).toEqual(['b/0/0', 'a/0/0']);
    expect(input.position()).toBe(50);
    expect(input.newest()).toBe(60);
    expect([input.positionOf('a'), input.positionOf('b')]).toEqual([50, 60]);
    input.push({ records: [record('a', 0, 1, 61)], watermarks: [] });
    expect(consume(input)).toEqual(['b/0/1']);
    expect(input.position()).toBe(60);
  });

  it('stops when a writer breaks its promise', () => {
    const input = new MergedInput([at('a'), at('b')], never);
    input.push({ records: [record('a', 0, 0, 9)], watermarks: [{ ...at('b'), watermark: 10 }] });
    consume(input);
    input.push({ records: [record('b', 0, 0, 3)], watermarks: [{ ...at('a'), watermark: 10 }] });
    expect(() => consume(input)).toThrow(OrderError);
  });

  it('drops a record whose number it has seen, but no unnumbered ones', () => {
    const input = new MergedInput([{ ...at('a'), lastSeq: 2 }], never);
    input.push({
      records: [
        record('a', 0, 0, 1, 2),
        record('a', 0, 1, 1, 3),
        record('a', 0, 2, 1, 3),
        record('a', 0, 3, 1, 0),
        record('a', 0, 4, 1, 0),
      ],
      watermarks: [],
    });
    input.finish(at('a'));
    expect(input.consumedSeqs().get('a/0')).toBe(2);
    expect(consume(input)).toEqual(['a/0/1', 'a/0/3', 'a/0/4']);
    expect(input.consumedSeqs().get('a/0')).toBe(3);
  });

  it('consumes each record as it arrives in unordered mode, including those of a rebuilt topic', () => {
    const input = new MergedInput([at('a'), at('b')], never, false);
    input.push({ records: [record('a', 0, 0, 9, 1), record('a', 0, 1, 9, 2)], watermarks: [] });
    expect(consume(input)).toEqual(['a/0/0', 'a/0/1']);
    input.push({ records: [record('a', 0, 2, 5, 1), record('a', 0, 3, 6, 2)], watermarks: [] });
    expect(consume(input)).toEqual(['a/0/2', 'a/0/3']);
  });

  it('consumes what was there at the start in the merged order in unordered mode, without waiting for watermarks', () => {
    const input = new MergedInput(
      [{ ...at('a'), catchUpOffset: 1 }, { ...at('b'), catchUpOffset: 0 }, at('c')],
      never,
      false,
    );
    input.push({ records: [record('b', 0, 0, 5)], watermarks: [] });
    expect(consume(input)).toEqual([]);
    input.push({ records: [record('a', 0, 0, 4), record('a', 0, 1, 6), record('b', 0, 1, 1)], watermarks: [] });
    expect(consume(input)).toEqual(['a/0/0', 'b/0/0', 'b/0/1', 'a/0/1']);
    input.push({ records: [record('b', 0, 2, 9)], watermarks: [] });
    input.push({ records: [record('a', 0, 2, 8)], watermarks: [] });
    expect(consume(input)).toEqual(['a/0/2', 'b/0/2']);
    input.push({ records: [record('b', 0, 3, 20)], watermarks: [] });
    expect(consume(input)).toEqual(['b/0/3']);
  });

  it('pauses a partition that runs ahead and resumes it once it was consumed', () => {
    const calls: string[] = [];
    const input = new MergedInput([at('a'), at('b')], ({ topic }, paused) => void calls.push(`${topic} ${paused}`));
    const ahead = Array.from({ length: 9_000 }, (_, offset) => record('a', 0, offset, offset));
    input.push({ records: ahead, watermarks: [] });
    expect(calls).toEqual(['a true']);
    input.push({ records: [], watermarks: [{ ...at('b'), watermark: 100_000 }] });
    expect(consume(input, 100_000)).toHaveLength(9_000);
    expect(calls).toEqual(['a true', 'a false']);
  });

  it('pauses partitions whose records exceed the byte limit together, and resumes them below half of it', () => {
    const calls: string[] = [];
    const input = new MergedInput([at('a'), at('b')], ({ topic }, paused) => void calls.push(`${topic} ${paused}`));
    const value = Buffer.alloc(4 * 1024 * 1024 - 1_024);
    const pages = Array.from({ length: 5 }, (_, offset) => ({ ...record('a', 0, offset, offset), value }));
    input.push({ records: pages.slice(0, 4), watermarks: [] });
    expect(calls).toEqual([]);
    input.push({ records: pages.slice(4), watermarks: [] });
    expect(calls).toEqual(['a true']);
    input.push({ records: [], watermarks: [{ ...at('b'), watermark: 100 }] });
    // Three are left, and then two, which is less than half of the limit.
    expect(consume(input, 2)).toHaveLength(2);
    expect(calls).toEqual(['a true']);
    expect(consume(input, 1)).toHaveLength(1);
    expect(calls).toEqual(['a true', 'a false']);
    expect(consume(input)).toEqual(['a/0/3', 'a/0/4']);
  });

  it('counts the bytes of all partitions, and never pauses an empty one', () => {
    const paused = new Set<string>();
    const input = new MergedInput([at('a'), at('b'), at('c')], ({ topic }, isPaused) => {
      if (isPaused) paused.add(topic);
      else paused.delete(topic);
    });
    const value = Buffer.alloc(3 * 1024 * 1024);
    const page = (topic: string, offset: number) => ({ ...record(topic, 0, offset, offset), value });
    input.push({ records: [0, 1, 2].map((offset) => page('a', offset)), watermarks: [] });
    expect([...paused]).toEqual([]);
    input.push({ records: [0, 1, 2].map((offset) => page('b', offset)), watermarks: [] });
    expect([...paused]).toEqual(['a', 'b']);
    input.push({ records: [], watermarks: ['a', 'c'].map((topic) => ({ ...at(topic), watermark: 100 })) });
    // Neither is resumed before both together hold less than half.
    expect(consume(input, 3)).toHaveLength(3);
    expect([...paused]).toEqual(['a', 'b']);
    expect(consume(input)).toHaveLength(3);
    expect([...paused]).toEqual([]);
  });

  it('releases consumed records, and never pauses a partition that it waits for', () => {
    const value = Buffer.alloc(7 * 1024 * 1024);
    const paused = new Set<string>();
    const input = new MergedInput([at('a'), at('b')], ({ topic }, isPaused) => {
      if (isPaused) paused.add(topic);
      else paused.delete(topic);
    });
    // Like a reader: each partition that is not paused returns its next record and watermark.
    const next = { a: 0, b: 0 };
    let consumed = 0;
    for (let turn = 0; turn < 400 && consumed < 100; turn += 1) {
      for (const topic of ['a', 'b'] as const) {
        if (paused.has(topic) || next[topic] === 50) continue;
        // All of a comes before all of b.
        const receivedAt = topic === 'a' ? next.a : 1_000 + next.b;
        const watermark = next[topic] === 49 ? 10_000 : receivedAt;
        const page = { ...record(topic, 0, next[topic], receivedAt), value };
        next[topic] += 1;
        input.push({ records: [page], watermarks: [{ ...at(topic), watermark }] });
      }
      expect(input.heldBytes()).toBeLessThan(40 * 1024 * 1024);
      consumed += consume(input, 3).length;
    }
    expect(consumed).toBe(100);
    expect(input.heldBytes()).toBe(0);
  });

  it('is the same however the records arrive and however many are consumed at a time', () => {
    const log = fc.array(fc.array(fc.integer({ min: 0, max: 6 }), { maxLength: 12 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(log, fc.infiniteStream(fc.nat(3)), fc.integer({ min: 1, max: 5 }), (gaps, picks, max) => {
        const partitions = gaps.map((list, partition) => {
          let time = 0;
          return list.map((gap, offset) => {
            time += gap;
            return record('t', partition, offset, time);
          });
        });
        const sorted = partitions
          .flat()
          .sort((a, b) => a.receivedAt - b.receivedAt || a.partition - b.partition || a.offset - b.offset)
          .map(({ partition, offset }) => `t/${partition}/${offset}`);
        const input = new MergedInput(
          gaps.map((_, partition) => at('t', partition)),
          never,
        );
        const heads = gaps.map(() => 0);
        const got: string[] = [];
        while (got.length < sorted.length || heads.some((head, p) => head <= partitions[p]!.length)) {
          const p = picks.next().value! % gaps.length;
          const next = heads[p]! < partitions[p]!.length ? partitions[p]![heads[p]!] : null;
          heads[p] = heads[p]! + 1;
          if (next)
            input.push({ records: [next], watermarks: [{ topic: 't', partition: p, watermark: next.receivedAt }] });
          else input.finish(at('t', p));
          got.push(...consume(input, max));
        }
        got.push(...consume(input));
        expect(got).toEqual(sorted);
      }),
    );
  });
});
