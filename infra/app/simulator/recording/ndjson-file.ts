import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';

/** One file of a recording, written line by line with a bounded buffer. */
export interface NdjsonFile {
  readonly path: string;
  /** Adds a line. Throws a `LineOrderError` if `at` is lower than that of the previous line. */
  line(at: number, text: string): void;
  /** Writes the buffered lines once there are enough. Waits under backpressure. */
  drain(): Promise<void>;
  close(): Promise<void>;
  stats(): { readonly lines: number; readonly bytes: number };
}

/** Thrown for a line that is older than the one before it. */
export class LineOrderError extends Error {
  override name = 'LineOrderError';
  readonly code = 'recording_order';
  readonly canRetry = false;
}

const CHUNK_CHARACTERS = 256 * 1024;

/** Opens `<path>.ndjson`, or `<path>.ndjson.gz`. Does not overwrite an existing file. */
export function createNdjsonFile(path: string, gzip: boolean): NdjsonFile {
  const full = `${path}.ndjson${gzip ? '.gz' : ''}`;
  const input = new PassThrough({ highWaterMark: 1024 * 1024 });
  const output = createWriteStream(full, { flags: 'wx' });
  // The fastest level is sufficient, since it already reduces repetitive books by nine tenths.
  const written = gzip
    ? pipeline(input, createGzip({ level: constants.Z_BEST_SPEED }), output)
    : pipeline(input, output);
  // `drain` and `close` reject with the failure.
  written.catch(() => {});
  let buffered: string[] = [];
  let size = 0;
  let newest = Number.NEGATIVE_INFINITY;
  let lines = 0;
  let bytes = 0;

  const writeChunk = async () => {
    if (buffered.length === 0) return;
    const chunk = Buffer.from(buffered.join(''));
    buffered = [];
    size = 0;
    bytes += chunk.length;
    if (!input.write(chunk)) await Promise.race([once(input, 'drain'), written]);
  };
  return {
    path: full,
    line(at, text) {
      if (at < newest) throw new LineOrderError(`${full}: a line of ${at} after one of ${newest}`);
      newest = at;
      buffered.push(text, '\n');
      size += text.length;
      lines += 1;
    },
    async drain() {
      if (size >= CHUNK_CHARACTERS) await writeChunk();
    },
    async close() {
      await writeChunk();
      input.end();
      await written;
    },
    stats: () => ({ lines, bytes }),
  };
}
