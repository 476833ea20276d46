import type { LogEnvironment } from './environment.ts';
import { JournalState } from './journal.ts';
import { type JournalEntry, JournalReader } from './journal-reader.ts';

/** Interval at which a read-only process looks for appends of the writer. */
const POLL_MS = 25;

/** Changes by another process since the last look. */
export interface ForeignChanges {
  readonly entries: readonly JournalEntry[];
  /** Entries below this number are void for the partition. */
  readonly barriers: ReadonlyMap<string, number>;
  /** Names of partitions that were emptied. */
  readonly cleared: ReadonlySet<string>;
  /** True if it has also committed to LMDB. */
  readonly hasCommitted: boolean;
}

/**
 * Reads entries and transactions of another process; a look that finds nothing is two short reads. The trees are read
 * after the journal, never before, so entries that were removed from the journal are in them.
 */
export class ForeignTail {
  private readonly environment: LogEnvironment;
  private readonly state: JournalState;
  private readonly reader: JournalReader;
  private timer: NodeJS.Timeout | null = null;
  private seen = -1;
  private clearings = 0;
  private barriers: ReadonlyMap<string, number> = new Map();

  constructor(environment: LogEnvironment, folder: string) {
    this.environment = environment;
    this.state = new JournalState(environment);
    this.reader = new JournalReader(folder);
  }

  /** Returns the changes since the last call; at first, everything from the first entry that may be needed. */
  readChanges(): ForeignChanges {
    const isFirst = this.seen < 0;
    if (isFirst) this.environment.root.resetReadTxn();
    const entries = isFirst ? this.reader.readFrom(this.state.first) : this.reader.read();
    const hasCommitted = this.refresh();
    // Files may be removed before they were read to their end: their entries are in the trees by then.
    while (hasCommitted && this.state.first > this.reader.next) {
      entries.push(...this.reader.readFrom(this.state.first));
      this.refresh();
    }
    return { entries, cleared: this.updateBarriers(), barriers: this.barriers, hasCommitted };
  }

  /** Calls `onChanges` whenever there are changes, from now on. */
  follow(onChanges: (changes: ForeignChanges) => void): void {
    this.timer = setInterval(() => {
      const changes = this.readChanges();
      if (changes.hasCommitted || changes.entries.length > 0) onChanges(changes);
    }, POLL_MS);
    this.timer.unref();
  }

  close(): void {
    if (this.timer) clearInterval(this.timer);
    this.reader.close();
  }

  /** Reads the barriers; returns the names of the changed ones. */
  private updateBarriers(): ReadonlySet<string> {
    const { clearings } = this.state;
    if (clearings === this.clearings) return new Set();
    this.clearings = clearings;
    const { barriers } = this;
    this.barriers = this.state.barriers();
    return new Set([...this.barriers].flatMap(([name, number]) => (barriers.get(name) === number ? [] : [name])));
  }

  /** Refreshes the view of the trees; returns false if nothing was committed since the last time. */
  private refresh(): boolean {
    const newest = this.environment.newestTransaction();
    if (newest === this.seen) return false;
    this.seen = newest;
    this.environment.root.resetReadTxn();
    return true;
  }
}
