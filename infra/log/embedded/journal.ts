/**
 * The journal: what was appended and is not in the trees of the partitions yet, because too little of it has gathered to
 * be compressed. An append is one entry, whatever partitions it goes to, so it costs one put; the entries follow each
 * other under rising numbers and are removed from the front once all their records are in the trees.
 *
 * | bytes | what an entry holds, for each partition that it concerns |
 * |---|---|
 * | varint, n | bytes of the partition's name, and the name in UTF-8 |
 * | varint, n | bytes of a block, and the block (`block-layout.ts`), not compressed |
 */
import type { Database } from 'lmdb';
import type { LogEnvironment, PartitionDb } from './environment.ts';
import type { Partition } from './partition.ts';
import { readVarint, VARINT_BYTES_MAX, varintEnd, writeVarint } from './varint.ts';

/** Name of its database. */
export const JOURNAL = 'journal';

/** A partition's part of an entry. */
export interface JournalPart {
  readonly name: string;
  readonly block: Buffer;
}

/** An entry that is still there, as its writer knows it. */
interface Kept {
  readonly number: number;
  readonly bytes: number;
  readonly partitions: readonly Partition[];
}

/** Names among the barriers of the count of clearings, and of where an empty journal goes on; a partition's has a slash. */
const CLEARINGS = 'clearings';
const NEXT = 'next';
const APPEND = { append: true } as const;
/** The journal is cut after so many entries or bytes. */
const CUT_ENTRIES = 256;
const CUT_BYTES = 1024 * 1024;

export class Journal {
  private readonly entries: PartitionDb | null;
  /** By partition that was cleared: entries below this number say nothing of it any more. */
  private readonly barriers: Database<number, string> | null;
  private kept: Kept[] = [];
  private bytesKept = 0;
  /** How many of the oldest entries are known to be needed no more. */
  private done = 0;
  /** What has come since entries were removed. */
  private entriesSince = 0;
  private bytesSince = 0;
  private clearings = -1;
  /** Number of the next entry. */
  private next = 0;

  private readonly canWrite: boolean;

  constructor(environment: LogEnvironment) {
    this.canWrite = environment.canWrite;
    this.entries = environment.partition(JOURNAL);
    this.barriers = environment.json<number>('journal-barriers');
  }

  get bytes(): number {
    return this.bytesKept;
  }

  /**
   * Gives the open runs what came since the last call and is not in the trees. After a topic was cleared it begins from
   * the front again; `onRestart` has to empty all runs then.
   */
  load(partitionNamed: (name: string) => Partition | undefined, onRestart: () => void): void {
    if (!this.entries || !this.barriers) return;
    const clearings = this.barriers.get(CLEARINGS) ?? 0;
    if (clearings !== this.clearings) {
      this.clearings = clearings;
      this.next = 0;
      onRestart();
    }
    for (const { key: number, value } of this.entries.getRange({ start: this.next })) {
      const partitions: Partition[] = [];
      for (const { name, block } of unpackEntry(value)) {
        const partition = partitionNamed(name);
        if (!partition || number < (this.barriers.get(name) ?? 0)) continue;
        if (partition.restore(block, number, this.canWrite)) partitions.push(partition);
      }
      this.note({ number, bytes: value.length, partitions });
    }
    this.next = Math.max(this.next, this.barriers.get(NEXT) ?? 0);
  }

  /** Puts an entry; call within a transaction, and `note` afterwards. */
  put(entry: Buffer): void {
    if (!this.entries!.putSync(this.next, entry, APPEND))
      throw new Error(`number ${this.next} of the journal is taken`);
  }

  /** Number that the next entry gets. */
  get nextNumber(): number {
    return this.next;
  }

  /** The entry is on the disk. */
  note(entry: Kept): void {
    this.next = entry.number + 1;
    if (!this.canWrite) return;
    this.kept.push(entry);
    this.bytesKept += entry.bytes;
    this.entriesSince += 1;
    this.bytesSince += entry.bytes;
  }

  /** Partitions that keep the journal from being cut further. */
  holders(): Partition[] {
    const oldest = this.kept[this.neededNoMore()];
    return oldest ? oldest.partitions.filter((partition) => partition.run.holds(oldest.number)) : [];
  }

  /**
   * How many of the oldest entries are to be removed now: none until enough has come since the last time, because each
   * removal writes pages of its own.
   */
  removable(): number {
    if (this.entriesSince < CUT_ENTRIES && this.bytesSince < CUT_BYTES) return 0;
    this.entriesSince = 0;
    this.bytesSince = 0;
    return this.neededNoMore();
  }

  /** How many of the oldest entries hold nothing that is not in the trees. */
  neededNoMore(): number {
    const isNeeded = ({ number, partitions }: Kept) => partitions.some((partition) => partition.run.holds(number));
    // Nothing that is needed no more is needed again.
    while (this.done < this.kept.length && !isNeeded(this.kept[this.done]!)) this.done += 1;
    return this.done;
  }

  /** Removes the oldest entries; call within a transaction, and `forget` afterwards. */
  remove(count: number): void {
    for (const { number } of this.kept.slice(0, count)) this.entries!.removeSync(number);
    // Numbers never start over: readers in other processes go on from the last that they saw.
    if (count > 0 && count === this.kept.length) this.barriers!.putSync(NEXT, this.next);
  }

  /** The oldest entries are gone from the disk. */
  forget(count: number): void {
    for (const { bytes } of this.kept.splice(0, count)) this.bytesKept -= bytes;
    this.done -= count;
  }

  /** Partitions are emptied: what stands here of them counts no more. Call within a transaction. */
  clear(partitions: readonly Partition[]): void {
    for (const { name } of partitions) this.barriers!.putSync(name, this.next);
    this.barriers!.putSync(CLEARINGS, this.clearings + 1);
  }

  /** The partitions were emptied. */
  noteCleared(): void {
    this.clearings += 1;
  }
}

export function packEntry(parts: readonly JournalPart[]): Buffer {
  const names = parts.map(({ name }) => Buffer.from(name));
  let bound = 0;
  for (const [index, { block }] of parts.entries()) bound += 2 * VARINT_BYTES_MAX + names[index]!.length + block.length;
  const entry = Buffer.allocUnsafe(bound);
  let at = 0;
  for (const [index, { block }] of parts.entries())
    for (const bytes of [names[index]!, block]) {
      at = writeVarint(entry, at, bytes.length);
      entry.set(bytes, at);
      at += bytes.length;
    }
  return entry.subarray(0, at);
}

/** The parts of an entry; their blocks are views of it. */
export function* unpackEntry(entry: Buffer): Generator<JournalPart> {
  let at = 0;
  const next = (): Buffer => {
    const length = readVarint(entry, at);
    const from = varintEnd(entry, at);
    at = from + length;
    return entry.subarray(from, at);
  };
  while (at < entry.length) yield { name: next().toString('utf8'), block: next() };
}
