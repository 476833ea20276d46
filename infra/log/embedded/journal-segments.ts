/** The files of the journal (`journal-reader.ts`), as used by their only writer. */
import {
  closeSync,
  constants,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  fsync,
  fsyncSync,
  ftruncateSync,
  openSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { whenRoom, writeZeros } from './disk-space.ts';
import { type JournalEntry, JournalReader, segmentPath, segmentsIn } from './journal-reader.ts';
import type { Partition } from './partition.ts';

/** Disk space reserved for a segment; a larger entry has its own segment. */
const SEGMENT_BYTES = 1024 * 1024;
const WRITE = constants.O_RDWR | constants.O_CREAT;

const flushFile = promisify(fdatasync);
const flushFolder = promisify(fsync);

export interface Segment {
  /** Number of its first entry. */
  readonly first: number;
  readonly path: string;
  /** Null once everything in it is flushed and no more is written to it. */
  file: number | null;
  /** Bytes that the file uses on the disk. */
  capacity: number;
  /** End of its last entry. */
  end: number;
  flushed: number;
  /** Partitions with records in it. */
  readonly partitions: Set<Partition>;
}

export class JournalSegments {
  private readonly folder: string;
  private readonly folderFile: number;
  private readonly segments: Segment[] = [];
  /** The segment to which entries are written. */
  private current: Segment | null = null;
  private nextNumber: number;
  private folderChanged = false;

  /**
   * Opens the journal in an existing folder, and truncates an incomplete entry.
   * @param first the first entry that may be needed.
   * @param onEntries called with the entries from there on, or from a few before it.
   */
  constructor(folder: string, first: number, onEntries: (entries: readonly JournalEntry[]) => void) {
    this.folder = folder;
    this.folderFile = openSync(folder, 'r');
    const reader = new JournalReader(folder);
    const entries = reader.readFrom(first);
    this.nextNumber = reader.next;
    const { first: last, end } = reader.reached ?? { first: first - 1, end: null };
    reader.close();
    for (const number of segmentsIn(folder)) {
      if (number <= last) this.segments.push(openSegment(folder, number));
      else unlinkSync(segmentPath(folder, number));
    }
    if (end !== null) cutOff(this.segments.at(-1)!, end);
    // Truncated or removed entries must not reappear beside later entries with the same numbers.
    fsyncSync(this.folderFile);
    onEntries(entries);
  }

  /** Number of the next entry. */
  get next(): number {
    return this.nextNumber;
  }

  /** The segments, oldest first. */
  get all(): readonly Segment[] {
    return this.segments;
  }

  /** Number of the last entry of the segment at this index. */
  lastAt(index: number): number {
    return (this.segments[index + 1]?.first ?? this.nextNumber) - 1;
  }

  /** Returns the segment of an entry. */
  holding(number: number): Segment {
    return this.segments.findLast(({ first }) => first <= number)!;
  }

  /**
   * Writes the next entry; returns false if the disk is full.
   * @param mayGrow returns whether this many more bytes of the disk may be used.
   */
  write(entry: Buffer, mayGrow: (bytes: number) => boolean): boolean {
    const segment = this.withRoom(entry.length, mayGrow);
    if (!segment) return false;
    const isWritten = whenRoom(() => {
      for (let done = 0; done < entry.length; )
        done += writeSync(segment.file!, entry, done, entry.length - done, segment.end + done);
    });
    if (!isWritten) {
      truncate(segment, segment.end);
      return false;
    }
    segment.end += entry.length;
    this.nextNumber += 1;
    return true;
  }

  /** Resolves when all entries so far, from this number on, would survive a loss of power. */
  async flush(first: number): Promise<void> {
    for (const segment of this.segments.filter((_, index) => this.lastAt(index) >= first)) {
      const { file, end } = segment;
      if (file === null) continue;
      if (segment.flushed !== end) await flushFile(file);
      segment.flushed = end;
      if (segment !== this.current && segment.end === end) closeFile(segment);
    }
    if (!this.folderChanged) return;
    this.folderChanged = false;
    await flushFolder(this.folderFile);
  }

  /**
   * Removes the oldest segments if all their entries are below this number. Off the event loop: removing a file can
   * take as long as a flush. Calls must not overlap.
   */
  async removeBelow(number: number): Promise<void> {
    const needed = this.segments.findIndex(({ end }, index) => end === 0 || this.lastAt(index) >= number);
    const removed = this.segments.slice(0, needed < 0 ? this.segments.length : needed);
    for (const segment of removed) {
      if (segment === this.current) this.current = null;
      closeFile(segment);
    }
    // A file that an earlier failed call removed is ignored.
    await Promise.all(removed.map(({ path }) => rm(path, { force: true })));
    this.segments.splice(0, removed.length);
  }

  close(): void {
    for (const segment of this.segments) closeFile(segment);
    closeSync(this.folderFile);
  }

  private withRoom(bytes: number, mayGrow: (bytes: number) => boolean): Segment | null {
    const { current } = this;
    if (current && current.end + bytes <= current.capacity) return current;
    const capacity = Math.max(SEGMENT_BYTES, bytes);
    if (!mayGrow(capacity)) return null;
    const segment = current && current.end === 0 ? current : this.begin();
    if (!segment) return null;
    if (!writeZeros(segment.file!, 0, capacity)) {
      // The empty file stays: readers may have opened it.
      truncate(segment, 0);
      return null;
    }
    segment.capacity = capacity;
    return segment;
  }

  /** Starts a segment with the next entry; returns null if the disk is full. */
  private begin(): Segment | null {
    if (this.current) truncate(this.current, this.current.end);
    this.current = null;
    const { folder, nextNumber } = this;
    // An empty segment of this number may exist already.
    const begun = this.segments.at(-1)?.first === nextNumber ? this.segments.pop()! : null;
    if (begun) closeFile(begun);
    whenRoom(() => {
      this.current = openSegment(folder, nextNumber);
      this.segments.push(this.current);
      this.folderChanged = true;
    });
    return this.current;
  }
}

function openSegment(folder: string, first: number): Segment {
  const path = segmentPath(folder, first);
  const file = openSync(path, WRITE);
  const { size } = fstatSync(file);
  return { first, path, file, capacity: size, end: size, flushed: 0, partitions: new Set() };
}

function closeFile(segment: Segment): void {
  if (segment.file !== null) closeSync(segment.file);
  segment.file = null;
}

function truncate(segment: Segment, end: number): void {
  ftruncateSync(segment.file!, end);
  segment.capacity = end;
}

/** Truncates a segment after its complete entries. */
function cutOff(segment: Segment, end: number): void {
  if (segment.end === end) return;
  truncate(segment, end);
  segment.end = end;
  fdatasyncSync(segment.file!);
}
