/**
 * The journal: everything that is appended, until it is known to be in the trees of the partitions. An append is one
 * write to a file, whatever its partitions are. Blocks are moved into the trees later, with those of other appends. The
 * oldest files are removed once none of their entries is needed, even after a loss of power.
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

/** Keys of the first entry that may be needed, and of the count of clearings; a partition's key contains a slash. */
const FIRST = 'first';
const CLEARINGS = 'clearings';
/** Above this size the partitions that need the oldest segment are flushed. */
const BOUND_BYTES = 16 * 1024 * 1024;
/** Entries are packed into memory of this size, one behind the other; a larger one gets its own. */
const MEMORY_BYTES = 1024 * 1024;

/** The part of the journal's state that LMDB stores. */
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

  /** Maps the name of a cleared partition to the number below which entries are void for it. */
  barriers(): Map<string, number> {
    return new Map([...(this.stored?.getRange() ?? [])].map(({ key, value }) => [key, value]));
  }

  /** Call within a transaction. */
  putFirst(first: number): void {
    this.stored!.putSync(FIRST, first);
  }

  /** Stores that partitions are emptied as of the next entry. Call within a transaction. */
  clear(partitions: readonly Partition[], next: number): void {
    for (const { name } of partitions) this.stored!.putSync(name, next);
    this.stored!.putSync(CLEARINGS, this.clearings + 1);
  }
}

/** Adds to the open runs the parts of entries that are not in the trees, and calls `onPart` for each. */
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
  /** First needed entry as stored by the newest transaction. */
  private recordedFirst: number;

  constructor(environment: LogEnvironment, folder: string, room: DiskRoom) {
    this.state = new JournalState(environment);
    this.room = room;
    this.recordedFirst = this.state.first;
    this.segments = new JournalSegments(folder, this.recordedFirst, (entries) => this.loaded.push(...entries));
  }

  /**
   * Adds the entries that the files held when they were opened to the open runs; calls `onPart` for each part that they
   * accept.
   */
  restore(partitions: ReadonlyMap<string, Partition>, onPart: (partition: Partition) => void): void {
    restoreEntries(this.loaded.splice(0), partitions, this.state.barriers(), {
      writes: true,
      onPart: (partition, number) => {
        this.segments.holding(number).partitions.add(partition);
        onPart(partition);
      },
    });
  }

  /** Makes an entry for records. It is only in memory until it is appended, and its blocks are views of that memory. */
  entryFor(parts: readonly { readonly partition: Partition; readonly records: readonly LogRecord[] }[]): EntryPacker {
    const bound = entryBound(parts.map(({ partition: { name }, records }) => ({ name, records })));
    if (bound > MEMORY_BYTES) return new EntryPacker(this.segments.next, Buffer.allocUnsafeSlow(bound));
    if (bound > this.memory.length) this.memory = Buffer.allocUnsafeSlow(MEMORY_BYTES);
    return new EntryPacker(this.segments.next, this.memory);
  }

  /** Appends an entry with records of these partitions; returns false if the disk, or the bound, is exceeded. */
  append(entry: EntryPacker, partitions: readonly Partition[]): boolean {
    const bytes = entry.finish();
    const { memory } = this;
    if (!this.segments.write(bytes, (more) => this.room.mayGrow(more, this.neededBytes))) return false;
    if (bytes.buffer === memory.buffer) this.memory = memory.subarray(bytes.length);
    const holders = this.segments.all.at(-1)!.partitions;
    for (const partition of partitions) holders.add(partition);
    return true;
  }

  /**
   * True if the journal holds more than it should of what is not in the trees.
   * @param times multiple of the bound.
   */
  isAbove(times: number): boolean {
    const bound = times * BOUND_BYTES;
    return this.segments.all.reduce((sum, { end }) => sum + end, 0) > bound && this.neededBytes > bound;
  }

  /** Partitions that need the oldest needed segment. */
  holders(): Partition[] {
    const index = this.firstNeeded();
    const partitions = this.segments.all[index]?.partitions ?? [];
    return [...partitions].filter(({ run }) => run.holds(this.segments.lastAt(index)));
  }

  /** Number of the first entry that may be needed, according to the trees as they are now. */
  get first(): number {
    return this.segments.all[this.firstNeeded()]?.first ?? this.segments.next;
  }

  /** True if the state in LMDB is older than the current one. */
  get isBehind(): boolean {
    return this.first > this.recordedFirst;
  }

  /**
   * Prepares storing in LMDB, within the caller's transaction, which entries are in the trees before it. Call `put`
   * inside the transaction, `done` after it.
   */
  note(): { readonly put: () => void; readonly done: () => void } {
    const { first } = this;
    return { put: () => this.state.putFirst(first), done: () => (this.recordedFirst = first) };
  }

  /** Marks the entries of emptied partitions as void. Call within a transaction. */
  clear(partitions: readonly Partition[]): void {
    this.state.clear(partitions, this.segments.next);
  }

  /** Resolves when all appends that are not in the trees as of the newest transaction would survive a loss of power. */
  flush(): Promise<void> {
    return this.segments.flush(this.recordedFirst);
  }

  /** Called when a sync point starts; returns a function to call when it is complete, which removes files. */
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

  /** Index of the first segment with records that are in no tree; the number of segments if there is none. */
  private firstNeeded(): number {
    const { all } = this.segments;
    for (const [index, { partitions }] of all.entries()) {
      const last = this.segments.lastAt(index);
      for (const { run } of partitions) if (run.holds(last)) return index;
      // A segment that is no longer needed stays so, except the newest, to which entries are added.
      partitions.clear();
    }
    return all.length;
  }
}

/** Returns the folder of the journal within that of a log. */
export function journalFolder(path: string): string {
  return join(path, 'journal');
}
