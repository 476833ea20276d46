/** A reader beside the writer of the journal's files. */
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { positionBefore } from './block-layout.ts';
import { EntryPacker, entryBound } from './journal-entry.ts';
import { JournalReader, segmentPath, segmentsIn } from './journal-reader.ts';
import { JournalSegments } from './journal-segments.ts';

const ALWAYS = () => true;

describe('the files of the journal', () => {
  let folder: string;
  let writer: JournalSegments;
  let reader: JournalReader;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'parallax-segments-'));
    writer = new JournalSegments(folder, 0, () => {});
    reader = new JournalReader(folder);
  });
  afterEach(() => {
    writer.close();
    reader.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function entryOf(number: number, bytes: number): Buffer {
    const value = Buffer.alloc(bytes, number);
    const record = {
      topic: 'a',
      partition: 0,
      key: 'k',
      value,
      receivedAt: 1,
      seq: number,
      offset: number,
      appendedAt: 1,
    };
    const packer = new EntryPacker(number, Buffer.alloc(entryBound([{ name: 'a/0', records: [record] }])));
    packer.add('a/0', [record], positionBefore(record), Number.POSITIVE_INFINITY);
    return packer.finish();
  }

  function write(count: number, bytes = 1_000): void {
    for (let left = count; left > 0; left -= 1) expect(writer.write(entryOf(writer.next, bytes), ALWAYS)).toBe(true);
  }

  const numbers = () => reader.read().map(({ number }) => number);
  const upTo = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);

  /** The writer of the next process. */
  function reopen(first = 0): number[] {
    writer.close();
    const found: number[] = [];
    writer = new JournalSegments(folder, first, (entries) => found.push(...entries.map(({ number }) => number)));
    return found;
  }

  it('returns each entry once, across segments and small and large entries', () => {
    expect(numbers()).toEqual([]);
    for (const [count, bytes] of [
      [3, 1_000],
      [5, 400_000],
      [1, 3_000_000],
      [400, 9_000],
    ] as const) {
      const from = writer.next;
      write(count, bytes);
      expect(numbers()).toEqual(upTo(from, from + count));
      expect(numbers()).toEqual([]);
    }
    expect(segmentsIn(folder).length).toBeGreaterThan(4);
    expect(reopen()).toEqual(upTo(0, 409));
    write(1);
    expect(numbers()).toEqual([409]);
  });

  it('ignores a half-written entry, and returns the one that the next writer puts in its place', () => {
    write(2);
    expect(numbers()).toEqual([0, 1]);
    const entry = entryOf(2, 5_000);
    const path = segmentPath(folder, 0);
    const before = readFileSync(path);
    const end = writer.all[0]!.end;
    for (const cut of [1, 3, 15, 16, 17, 4_000, entry.length - 1]) {
      entry.copy(before, end, 0, cut);
      writeFileSync(path, before);
      expect(numbers()).toEqual([]);
    }
    expect(reopen()).toEqual([0, 1]);
    expect(readFileSync(path).length).toBe(end);
    write(1);
    expect(numbers()).toEqual([2]);
    expect(reopen()).toEqual([0, 1, 2]);
  });

  it('continues after files that were removed before they were read to their end', async () => {
    write(2);
    expect(numbers()).toEqual([0, 1]);
    write(2_500);
    await writer.flush(0);
    await writer.removeBelow(2_400);
    expect(segmentsIn(folder)[0]).toBeGreaterThan(1_500);
    // The open file is still readable; only needed entries can follow it.
    const seen = numbers();
    expect(seen).toEqual(upTo(2, 2 + seen.length));
    const later = reader.readFrom(2_400).map(({ number }) => number);
    expect(later).toEqual(upTo(later[0]!, 2_502));
    expect(later[0]).toBeLessThanOrEqual(2_400);
    write(1);
    expect(numbers()).toEqual([2_502]);
  });

  it('continues the numbers after all files were removed', async () => {
    write(5);
    await writer.flush(0);
    await writer.removeBelow(5);
    expect(segmentsIn(folder)).toEqual([]);
    expect(reopen(5)).toEqual([]);
    write(1);
    expect(reader.readFrom(5).map(({ number }) => number)).toEqual([5]);
  });

  it('ignores and removes entries behind a missing one', () => {
    write(3_000);
    const [, second, third] = segmentsIn(folder);
    truncateSync(segmentPath(folder, second!), 5_000);
    const found = reopen();
    expect(found).toEqual(upTo(0, found.length));
    expect(found.length).toBeLessThan(third!);
    expect(segmentsIn(folder)).toEqual([0, second]);
    write(3);
    expect(reopen()).toEqual(upTo(0, found.length + 3));
  });

  it('refuses an entry if the disk is full, and continues when there is space', () => {
    write(1);
    expect(writer.write(entryOf(1, 2_000_000), () => false)).toBe(false);
    // Earlier entries are still there.
    expect(writer.write(entryOf(1, 2_000), () => false)).toBe(true);
    write(1, 2_000_000);
    expect(numbers()).toEqual([0, 1, 2]);
  });
});
