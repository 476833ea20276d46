/**
 * Reads the files of the journal, from this process or another one, while they are written. They are **segments** that
 * have the number of their first entry as name, with zeros behind the last entry.
 */
import { closeSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { ENTRY_HEADER_BYTES, entryAt, entryBytes } from './journal-entry.ts';

const NAME_DIGITS = 16;
/** Read at once, into memory that is used again; a larger entry gets memory of its own. */
const scratch = Buffer.allocUnsafeSlow(1024 * 1024);

/** A whole entry. */
export interface JournalEntry {
  readonly number: number;
  readonly bytes: Buffer;
}

/** Numbers of the first entries of the segments in a folder, rising. */
export function segmentsIn(folder: string): number[] {
  const names = readdirSync(folder).filter((name) => name.length === NAME_DIGITS);
  return names.map(Number).sort((a, b) => a - b);
}

export function segmentPath(folder: string, first: number): string {
  return join(folder, String(first).padStart(NAME_DIGITS, '0'));
}

export class JournalReader {
  private readonly folder: string;
  private file: number | null = null;
  private segment = -1;
  private position = 0;
  private nextNumber = 0;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Number of the next entry. */
  get next(): number {
    return this.nextNumber;
  }

  /** First entry of the segment that was read last, and where its whole entries end; null when there is none. */
  get reached(): { readonly first: number; readonly end: number } | null {
    return this.file === null ? null : { first: this.segment, end: this.position };
  }

  /** The entries that came since the last call: whole ones, up to the first that is not. */
  read(): JournalEntry[] {
    const entries: JournalEntry[] = [];
    // A segment has all that it will ever have before there is one that begins with the next number.
    do this.readSegment(entries);
    while (this.segment !== this.nextNumber && this.open(this.nextNumber));
    return entries;
  }

  /** Reads on from the segment that holds this entry; what comes before it is not needed. */
  readFrom(first: number): JournalEntry[] {
    this.close();
    const segment = segmentsIn(this.folder).findLast((number) => number <= first);
    if (segment !== undefined) this.open(segment);
    else this.nextNumber = first;
    const entries = this.read();
    if (this.nextNumber < first) {
      this.close();
      this.nextNumber = first;
    }
    return entries;
  }

  close(): void {
    if (this.file !== null) closeSync(this.file);
    this.file = null;
    this.segment = -1;
  }

  /** Goes on with the segment of this first entry; false when it is not there. */
  private open(first: number): boolean {
    let file: number;
    try {
      file = openSync(segmentPath(this.folder, first), 'r');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
      throw error;
    }
    this.close();
    this.file = file;
    this.segment = first;
    this.position = 0;
    this.nextNumber = first;
    return true;
  }

  private readSegment(entries: JournalEntry[]): void {
    if (this.file === null) return;
    for (let chunk = this.readChunk(this.file); chunk; chunk = this.readChunk(this.file)) {
      for (let at = 0; at < chunk.length; ) {
        const bytes = entryAt(chunk, at, this.nextNumber)!;
        entries.push({ number: this.nextNumber, bytes });
        this.nextNumber += 1;
        at += bytes.length;
      }
      this.position += chunk.length;
    }
  }

  /** Whole entries from the position on, in memory of their own; null when there is none. */
  private readChunk(file: number): Buffer | null {
    const header = scratch.subarray(0, readSync(file, scratch, 0, ENTRY_HEADER_BYTES, this.position));
    const needed = entryBytes(header, 0, this.nextNumber);
    if (needed === null || this.position + needed > fstatSync(file).size) return null;
    const memory = needed <= scratch.length ? scratch : Buffer.allocUnsafeSlow(needed);
    const filled = memory.subarray(0, readSync(file, memory, 0, memory.length, this.position));
    let end = 0;
    for (let number = this.nextNumber; ; number += 1) {
      const entry = entryAt(filled, end, number);
      if (!entry) break;
      end += entry.length;
    }
    return end > 0 ? Buffer.from(filled.subarray(0, end)) : null;
  }
}
