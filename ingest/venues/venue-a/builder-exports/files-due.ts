import { type BuilderFile, DAY_MS } from '#schemas/venues/venue-a/builder-export';

const HOUR_MS = 3_600_000;
/** The files of so many days are requested at each start. */
const REQUESTED_DAYS = 30;
/** The files of so many days are requested again and again: they may appear, and change. */
const REPEATED_DAYS = 3;
/** Wait after the first failure; it doubles up to ten minutes, plus or minus a fifth. */
const RETRY_MS = 30_000;
const RETRY_MAX_MS = 10 * 60_000;
const JITTER = 0.2;

interface Entry extends BuilderFile {
  /** Infinity for an older file that was requested once. */
  dueAt: number;
  failures: number;
}

export interface FilesDueOptions {
  /** Unix ms. */
  readonly now: () => number;
  readonly random?: () => number;
}

/**
 * Which file is requested next: of the files of registered builders, from their first day to the day that ended last, the
 * one that is due longest; of those, the newest day.
 */
export class FilesDue {
  private readonly builders = new Map<string, { readonly files: Map<number, Entry>; readonly since: number }>();
  private readonly options: FilesDueOptions;

  constructor(options: FilesDueOptions) {
    this.options = options;
  }

  /** @param since the first day, unix ms. */
  add(builder: string, since: number): void {
    if (!this.builders.has(builder)) this.builders.set(builder, { files: new Map(), since });
  }

  remove(builder: string): void {
    this.builders.delete(builder);
  }

  next(): BuilderFile | null {
    const now = this.options.now();
    const newest = (Math.floor(now / DAY_MS) - 1) * DAY_MS;
    let next: Entry | null = null;
    for (const [builder, { files, since }] of this.builders) {
      // Files that nobody requests any more are forgotten, but for the days that are requested at each start.
      const first = Math.max(since, newest - (REQUESTED_DAYS - 1) * DAY_MS);
      for (const day of files.keys()) if (day < first) files.delete(day);
      for (let day = newest; day >= first; day -= DAY_MS) {
        if (!files.has(day)) files.set(day, { builder, day, dueAt: 0, failures: 0 });
        const file = files.get(day)!;
        if (file.dueAt <= now && (next === null || file.dueAt < next.dueAt)) next = file;
      }
    }
    return next;
  }

  /**
   * The request succeeded: the file of a recent day is due again in an hour, and so is one that cannot be read.
   */
  markDone(file: BuilderFile, isUnreadable = false): void {
    const entry = file as Entry;
    const isRepeated = isUnreadable || entry.day >= (Math.floor(this.options.now() / DAY_MS) - REPEATED_DAYS) * DAY_MS;
    entry.dueAt = isRepeated ? this.options.now() + HOUR_MS : Number.POSITIVE_INFINITY;
    entry.failures = 0;
  }

  markFailed(file: BuilderFile): void {
    const entry = file as Entry;
    const wait = Math.min(RETRY_MAX_MS, RETRY_MS * 2 ** entry.failures);
    entry.dueAt = this.options.now() + wait * (1 + JITTER * (2 * (this.options.random ?? Math.random)() - 1));
    entry.failures += 1;
  }
}
