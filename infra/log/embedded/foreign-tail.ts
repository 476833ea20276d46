import type { LogEnvironment } from './environment.ts';
import { JournalState } from './journal.ts';
import { type JournalEntry, JournalReader } from './journal-reader.ts';

/** How soon a read-only process sees what another one appended. */
const LOOK_MS = 25;

/** What another process has done since the last look. */
export interface ForeignNews {
  readonly entries: readonly JournalEntry[];
  /** Entries below the number of a partition say nothing of it. */
  readonly barriers: ReadonlyMap<string, number>;
  /** Names of partitions that were emptied. */
  readonly cleared: ReadonlySet<string>;
  /** Whether it has committed to LMDB too. */
  readonly hasCommitted: boolean;
}

/**
 * Looks for entries and transactions of another process; a look that finds nothing is two short reads. The trees are
 * looked at as they are after the journal was read, never before: so what was removed from the journal is in them.
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

  /** Everything that has come since the last call; from the first entry that may be needed on at first. */
  take(): ForeignNews {
    const isFirst = this.seen < 0;
    if (isFirst) this.environment.root.resetReadTxn();
    const entries = isFirst ? this.reader.readFrom(this.state.first) : this.reader.read();
    const hasCommitted = this.renew();
    // Files that were not read to their end may be removed: what stood there is in the trees by then.
    while (hasCommitted && this.state.first > this.reader.next) {
      entries.push(...this.reader.readFrom(this.state.first));
      this.renew();
    }
    return { entries, cleared: this.takeBarriers(), barriers: this.barriers, hasCommitted };
  }

  /** Calls `onNews` when there is something new, from now on. */
  follow(onNews: (news: ForeignNews) => void): void {
    this.timer = setInterval(() => {
      const news = this.take();
      if (news.hasCommitted || news.entries.length > 0) onNews(news);
    }, LOOK_MS);
    this.timer.unref();
  }

  close(): void {
    if (this.timer) clearInterval(this.timer);
    this.reader.close();
  }

  /** Reads the barriers; gives the names of those that are new. */
  private takeBarriers(): ReadonlySet<string> {
    const { clearings } = this.state;
    if (clearings === this.clearings) return new Set();
    this.clearings = clearings;
    const { barriers } = this;
    this.barriers = this.state.barriers();
    return new Set([...this.barriers].flatMap(([name, number]) => (barriers.get(name) === number ? [] : [name])));
  }

  /** Looks at the trees as they are now; false when they are as at the last time. */
  private renew(): boolean {
    const newest = this.environment.newestTransaction();
    if (newest === this.seen) return false;
    this.seen = newest;
    this.environment.root.resetReadTxn();
    return true;
  }
}
