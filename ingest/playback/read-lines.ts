/** Reads the lines of a text file of any size, plain or gzipped, chunk by chunk. */
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { RecordingError } from '#schemas/domain/recording';

/** Bytes of one read. */
const CHUNK_BYTES = 256 * 1024;
/** Upper bound of a line, which protects memory; no response of a venue comes near. */
const LINE_BYTES_MAX = 64 * 1024 * 1024;
const LINE_END = 0x0a;

export interface LineBatch {
  readonly lines: readonly string[];
  /** Number of the first line, from 1. */
  readonly first: number;
}

/** Reads `path`, and unzips it if its name ends in `.gz`. Line ends are removed; the last line needs none. */
export async function* readLines(path: string): AsyncGenerator<LineBatch> {
  let first = 1;
  let pieces: Buffer[] = [];
  let waiting = 0;
  for await (const chunk of readChunks(path, () => first)) {
    const end = chunk.lastIndexOf(LINE_END);
    if (end < 0) {
      pieces.push(chunk);
      waiting += chunk.length;
      if (waiting > LINE_BYTES_MAX)
        throw new RecordingError(
          'recording_unreadable_line',
          `${path} line ${first} is longer than ${LINE_BYTES_MAX} bytes`,
        );
      continue;
    }
    const lines = Buffer.concat([...pieces, chunk.subarray(0, end)])
      .toString()
      .split('\n');
    yield { lines, first };
    first += lines.length;
    pieces = [chunk.subarray(end + 1)];
    waiting = pieces[0]!.length;
  }
  if (waiting > 0) yield { lines: [Buffer.concat(pieces).toString()], first };
}

/** Yields the bytes of the file. Errors of the disk or the archive name the line that was reached. */
async function* readChunks(path: string, line: () => number): AsyncGenerator<Buffer> {
  try {
    yield* openBytes(path) as AsyncIterable<Buffer>;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new RecordingError('recording_unreadable_line', `${path} is unreadable from line ${line()} on: ${why}`, {
      cause,
    });
  }
}

function openBytes(path: string): Readable {
  const bytes = createReadStream(path, { highWaterMark: CHUNK_BYTES });
  if (!path.endsWith('.gz')) return bytes;
  const unzipped = createGunzip({ chunkSize: CHUNK_BYTES });
  // An error of either stream destroys both, and the reader gets it from `unzipped`.
  pipeline(bytes, unzipped).catch(() => {});
  return unzipped;
}
