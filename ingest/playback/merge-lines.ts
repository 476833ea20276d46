/** Merges the lines of a recording's files by time, then file name, then line. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseRecordingLine, type RecordedLine, RecordingError } from '#schemas/domain/recording';
import { type LineBatch, readLines } from './read-lines.ts';

/** Lines of one batch. */
const BATCH_LINES = 256;

/** A line with its file and line number, for messages. */
export interface LocatedLine extends RecordedLine {
  readonly file: string;
  readonly line: number;
}

/** The files of a recording, sorted by name. Throws a `RecordingError` if there are none. */
async function recordingFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((cause: unknown) => {
    throw new RecordingError('recording_empty', `the recording ${folder} cannot be read`, { cause });
  });
  const files = names.filter((name) => /\.ndjson(\.gz)?$/.test(name)).sort();
  if (files.length === 0)
    throw new RecordingError('recording_empty', `the recording ${folder} has no *.ndjson or *.ndjson.gz file`);
  return files;
}

/** Reads all files of the folder in parallel, chunk by chunk, and yields their lines in order, in batches. */
export async function* mergeLines(folder: string): AsyncGenerator<readonly LocatedLine[]> {
  const cursors: FileCursor[] = [];
  for (const file of await recordingFiles(folder)) cursors.push(await FileCursor.open(folder, file));
  try {
    let batch: LocatedLine[] = [];
    for (let next = earliest(cursors); next; next = earliest(cursors)) {
      batch.push(next.current!);
      if (!next.nextInBatch()) await next.readNext();
      if (batch.length < BATCH_LINES) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  } finally {
    for (const cursor of cursors) await cursor.close();
  }
}

/** The cursor with the earliest line. Cursors are in file-name order, so the first of equal times is the right one. */
function earliest(cursors: readonly FileCursor[]): FileCursor | null {
  let best: FileCursor | null = null;
  for (const cursor of cursors)
    if (cursor.current && (!best?.current || cursor.current.at < best.current.at)) best = cursor;
  return best;
}

class FileCursor {
  current: LocatedLine | null = null;
  private readonly file: string;
  private readonly batches: AsyncGenerator<LineBatch>;
  private batch: LineBatch = { lines: [], first: 1 };
  private index = 0;

  private constructor(folder: string, file: string) {
    this.file = file;
    this.batches = readLines(join(folder, file));
  }

  static async open(folder: string, file: string): Promise<FileCursor> {
    const cursor = new FileCursor(folder, file);
    await cursor.readNext();
    return cursor;
  }

  /** Moves to the next line of the batch in memory, skipping blank lines. Returns false at its end. */
  nextInBatch(): boolean {
    const before = this.current;
    while (this.index < this.batch.lines.length) {
      const text = this.batch.lines[this.index]!;
      const line = this.batch.first + this.index;
      this.index += 1;
      if (text.trim() === '') continue;
      const location = { file: this.file, line };
      const current = { ...parseRecordingLine(text, location), ...location };
      if (before && current.at < before.at)
        throw new RecordingError(
          'recording_unsorted',
          `${this.file} line ${line} has the time ${current.at}, which is before ${before.at} of line ${before.line}`,
        );
      this.current = current;
      return true;
    }
    return false;
  }

  /** Reads batches until there is a line. `current` is null at the end of the file. */
  async readNext(): Promise<void> {
    for (;;) {
      const { value, done } = await this.batches.next();
      if (done) {
        this.current = null;
        return;
      }
      this.batch = value;
      this.index = 0;
      if (this.nextInBatch()) return;
    }
  }

  async close(): Promise<void> {
    await this.batches.return(undefined);
  }
}
