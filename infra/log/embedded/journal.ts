/**
 * The journal: everything that is appended, before it is known to be in the trees of the partitions. An append is one
 * write to a file, whatever partitions it goes to. Blocks move into the trees later, with those of other appends, and the
 * oldest files are removed once nothing in them is needed, even after a loss of power.
 */
import { join } from 'node:path';
import type { Database } from 'lmdb';
import type { LogRecord } from '../log.ts';
import type { DiskRoom } from './disk-room.ts';
import type { LogEnvironment } from './environment.ts';
import { EntryPacker, entryBound, partsOf } from './journal-entry.ts';
import type { JournalEntry } from './journal-reader.ts';
import { JournalSegments } from './journal-segments.ts';
import type { Partition } from './partition.ts';

/** Names in the state of the first entry that may be needed, and of the count of clearings; a partition's has a slash. */
const FIRST = 'first';
const CLEARINGS = 'clearings';
/** Above this the partitions that keep the oldest segment are flushed. */
const BOUND_BYTES = 16 * 1024 * 1024;
/** Entries are packed into memory of this size, one behind the other; a larger one gets memory of its own. */
const MEMORY_BYTES = 1024 * 1024;

/** What LMDB holds about the journal. */
export class JournalState {
  private readonly stored: Database<number, string> | null;

  constructor(environment: LogEnvironment) {
    this.stored = environment.json<number>('journal');
  }

  /** All entries below this number are in the trees. */
  get first(): number {
    return this.stored?.get(FIRST) ?? 0;
  }

  /** How often a topic was cleared. */
  get clearings(): number {
    return this.stored?.get(CLEARINGS) ?? 0;
  }

  /** By name of a partition that was cleared: entries below this number say nothing of it any more. */
  barriers(): Map<string, number> {
    return new Map([...(this.stored?.getRange() ?? [])].map(({ key, value }) => [key, value]));
  }

  /** Call within a transaction. */
  putFirst(first: number): void {
    this.stored!.putSync(FIRST, first);
  }

  /** Notes that partitions are emptied as of the next entry. Call within a transaction. */
  clear(partitions: readonly Partition[], next: number): void {
    for (const { name } of partitions) this.stored!.putSync(name, next);
    this.stored!.putSync(CLEARINGS, this.clearings + 1);
  }
}

/** Gives the open runs what entries hold of them that is not in the trees, and calls `onPart` for each such part. */
export function restoreEntries(
  entries: readonly JournalEntry[],
  partitions: ReadonlyMap<string, Partition>,
  barriers: ReadonlyMap<string, number>,
  { writes, onPart }: { writes: boolean; onPart: (partition: Partition, number: number) => void },
): void {
  const ends = new Map<Partition, number>();
  for (const { number, bytes } of entries)
    for (const { name, block } of partsOf(bytes)) {
      const partition = partitions.get(name);
      if (!partition || number < (barriers.get(name) ?? 0)) continue;
      const inTree = ends.get(partition) ?? partition.endInTree();
      ends.set(partition, inTree);
      if (partition.restore(block, number, inTree, writes)) onPart(partition, number);
    }
}

export class Journal {
  private readonly state: JournalState;
  private readonly segments: JournalSegments;
  private readonly room: DiskRoom;
  private readonly loaded: JournalEntry[] = [];
  private memory = Buffer.alloc(0);
  /** What the state says, as of the newest transaction. */
  private recordedFirst: number;

  constructor(environment: LogEnvironment, folder: string, room: DiskRoom) {
    this.state = new JournalState(environment);
    this.room = room;
    this.recordedFirst = this.state.first;
    this.segments = new JournalSegments(folder, this.recordedFirst, (entries) => this.loaded.push(...entries));
  }

  /** Gives the open runs what was in the files when they were opened; `onPart` is called for each part that they take. */
  restore(partitions: ReadonlyMap<string, Partition>, onPart: (partition: Partition) => void): void {
    restoreEntries(this.loaded.splice(0), partitions, this.state.barriers(), {
      writes: true,
      onPart: (partition, number) => {
        this.segments.holding(number).partitions.add(partition);
        onPart(partition);
      },
    });
  }

  /** Makes an entry for records. It is in memory alone until it is appended, and its blocks are views of that memory. */
  entryFor(parts: readonly { readonly partition: Partition; readonly records: readonly LogRecord[] }[]): EntryPacker {
    const bound = entryBound(parts.map(({ partition: { name }, records }) => ({ name, records })));
    if (bound > MEMORY_BYTES) return new EntryPacker(this.segments.next, Buffer.allocUnsafeSlow(bound));
    if (bound > this.memory.length) this.memory = Buffer.allocUnsafeSlow(MEMORY_BYTES);
    return new EntryPacker(this.segments.next, this.memory);
  }

  /** Appends an entry with records of these partitions; false when the disk, or the bound, has no room for it. */
  append(entry: EntryPacker, partitions: readonly Partition[]): boolean {
    const bytes = entry.finish();
    const { memory } = this;
    if (!this.segments.write(bytes, (more) => this.room.mayGrow(more, this.neededBytes))) return false;
    if (bytes.buffer === memory.buffer) this.memory = memory.subarray(bytes.length);
    const holders = this.segments.all.at(-1)!.partitions;
    for (const partition of partitions) holders.add(partition);
    return true;
  }

  /** Whether it holds more than it should of what is not in the trees. @param times the bound. */
  isAbove(times: number): boolean {
    const bound = times * BOUND_BYTES;
    return this.segments.all.reduce((sum, { end }) => sum + end, 0) > bound && this.neededBytes > bound;
  }

  /** Partitions that keep the oldest needed segment. */
  holders(): Partition[] {
    const index = this.firstNeeded();
    const partitions = this.segments.all[index]?.partitions ?? [];
    return [...partitions].filter(({ run }) => run.holds(this.segments.lastAt(index)));
  }

  /** Number of the first entry that may be needed, as far as the trees are now. */
  get first(): number {
    return this.segments.all[this.firstNeeded()]?.first ?? this.segments.next;
  }

  /** Whether the state in LMDB says less than what is so now. */
  get isBehind(): boolean {
    return this.first > this.recordedFirst;
  }

  /** Notes in LMDB, with what else the transaction does, what is in the trees before it; gives what to call once it is done. */
  note(): { readonly put: () => void; readonly done: () => void } {
    const { first } = this;
    return { put: () => this.state.putFirst(first), done: () => (this.recordedFirst = first) };
  }

  /** Partitions are emptied: what stands here of them counts no more. Call within a transaction. */
  clear(partitions: readonly Partition[]): void {
    this.state.clear(partitions, this.segments.next);
  }

  /** Resolves when what was appended, and is not in the trees as of the newest transaction, would survive a loss of power. */
  flush(): Promise<void> {
    return this.segments.flush(this.recordedFirst);
  }

  /** Called when a sync point begins; gives what to call once it is made: then files can be removed. */
  beforeSyncPoint(): () => Promise<void> {
    const { recordedFirst } = this;
    return () => this.segments.removeBelow(recordedFirst);
  }

  close(): void {
    this.segments.close();
  }

  private get neededBytes(): number {
    return this.segments.all.slice(this.firstNeeded()).reduce((sum, { end }) => sum + end, 0);
  }

  /** Index of the first segment with records that are in no tree; how many there are when none has. */
  private firstNeeded(): number {
    const { all } = this.segments;
    for (const [index, { partitions }] of all.entries()) {
      const last = this.segments.lastAt(index);
      for (const { run } of partitions) if (run.holds(last)) return index;
      // What is needed no more is not needed again, but for what still comes to the newest.
      partitions.clear();
    }
    return all.length;
  }
}

/** The folder of the journal in that of a log. */
export function journalFolder(path: string): string {
  return join(path, 'journal');
}
