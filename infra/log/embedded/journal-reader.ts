/**
 * Reads the files of the journal, from this process or another one, while they are written. The files are **segments**,
 * named by the number of their first entry, with zeros behind the last entry.
 */
import { closeSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { ENTRY_HEADER_BYTES, entryAt, entryBytes } from './journal-entry.ts';

const NAME_DIGITS = 16;
/** Reused memory for reading; a larger entry gets its own. */
const scratch = Buffer.allocUnsafeSlow(1024 * 1024);

/** A complete entry. */
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

  /** First entry of the segment that was read last, and the end of its complete entries; null if there is none. */
  get reached(): { readonly first: number; readonly end: number } | null {
    return this.file === null ? null : { first: this.segment, end: this.position };
  }

  /** Returns the entries since the last call, up to the first incomplete one. */
  read(): JournalEntry[] {
    const entries: JournalEntry[] = [];
    // A segment is complete once there is one that starts with the next number.
    do this.readSegment(entries);
    while (this.segment !== this.nextNumber && this.open(this.nextNumber));
    return entries;
  }

  /** Continues with the segment that contains this entry; earlier ones are not needed. */
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

  /** Continues with the segment of this first entry; returns false if it does not exist. */
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

  /** Returns complete entries from the position on, in separate memory; null if there is none. */
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
