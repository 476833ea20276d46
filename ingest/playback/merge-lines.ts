/** The lines of a recording's files in one order: by time, then file name, then line. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseRecordingLine, type RecordedLine, RecordingError } from '#schemas/domain/recording';
import { type LineBatch, readLines } from './read-lines.ts';

/** Lines handed over at a time. */
const BATCH_LINES = 256;

/** A line with where it stands, for messages. */
export interface PlacedLine extends RecordedLine {
  readonly file: string;
  readonly line: number;
}

/** The files of a recording in the order that breaks ties. Throws a `RecordingError` when there are none. */
export async function recordingFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((cause: unknown) => {
    throw new RecordingError('recording_empty', `the recording ${folder} cannot be read`, { cause });
  });
  const files = names.filter((name) => /\.ndjson(\.gz)?$/.test(name)).sort();
  if (files.length === 0)
    throw new RecordingError('recording_empty', `the recording ${folder} has no *.ndjson or *.ndjson.gz file`);
  return files;
}

/** Reads every file of the folder at once, each a chunk at a time, and yields their lines in order, in batches. */
export async function* mergeLines(folder: string): AsyncGenerator<readonly PlacedLine[]> {
  const cursors: FileCursor[] = [];
  for (const file of await recordingFiles(folder)) cursors.push(await FileCursor.open(folder, file));
  try {
    let batch: PlacedLine[] = [];
    for (let next = earliest(cursors); next; next = earliest(cursors)) {
      batch.push(next.current!);
      if (!next.step()) await next.fill();
      if (batch.length < BATCH_LINES) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  } finally {
    for (const cursor of cursors) await cursor.close();
  }
}

/** The cursor whose line comes first; cursors stand in file-name order, so the first of equals is the right one. */
function earliest(cursors: readonly FileCursor[]): FileCursor | null {
  let best: FileCursor | null = null;
  for (const cursor of cursors)
    if (cursor.current && (!best?.current || cursor.current.at < best.current.at)) best = cursor;
  return best;
}

class FileCursor {
  current: PlacedLine | null = null;
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
    await cursor.fill();
    return cursor;
  }

  /** Goes to the next line of what is in memory; false when that is used up. Blank lines are passed over. */
  step(): boolean {
    const before = this.current;
    while (this.index < this.batch.lines.length) {
      const text = this.batch.lines[this.index]!;
      const line = this.batch.first + this.index;
      this.index += 1;
      if (text.trim() === '') continue;
      const place = { file: this.file, line };
      const current = { ...parseRecordingLine(text, place), ...place };
      if (before && current.at < before.at)
        throw new RecordingError(
          'recording_unsorted',
          `${this.file} line ${line} is of ${current.at}, before line ${before.line} of ${before.at}`,
        );
      this.current = current;
      return true;
    }
    return false;
  }

  /** Reads on until there is a line; `current` is null at the end of the file. */
  async fill(): Promise<void> {
    for (;;) {
      const { value, done } = await this.batches.next();
      if (done) {
        this.current = null;
        return;
      }
      this.batch = value;
      this.index = 0;
      if (this.step()) return;
    }
  }

  async close(): Promise<void> {
    await this.batches.return(undefined);
  }
}
