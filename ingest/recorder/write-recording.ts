/** Writes raw records as a recording for playback: a file for each source, a line for each record. */
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { formatRecordingLine } from '#schemas/domain/recording';
import { EXPORT_TOPICS, type RawEnvelope } from '#schemas/topics/raw';
import { JoinedExports } from '../exports/joined-exports.ts';

export interface WrittenRecording {
  /** Lines written, by source. */
  readonly lines: ReadonlyMap<string, number>;
  /** Records left out because they are not JSON, such as a venue's text `PONG`. */
  readonly skipped: number;
}

export interface RecordingWriter {
  /** Writes raw records, which must be in ascending `receivedAt`. Resolves when they are in the files. */
  write(envelopes: readonly RawEnvelope[]): Promise<void>;
  /** Closes the files and returns what was written. */
  close(): Promise<WrittenRecording>;
}

/** Opens `<folder>/<source>.ndjson` as sources appear; existing files are continued. */
export async function openRecordingWriter(folder: string): Promise<RecordingWriter> {
  await mkdir(folder, { recursive: true });
  const files = new Map<string, FileHandle>();
  const counts = new Map<string, number>();
  const exports = new JoinedExports();
  let skipped = 0;

  const fileOf = async (source: string): Promise<FileHandle> => {
    const known = files.get(source);
    if (known) return known;
    const file = await open(join(folder, `${source}.ndjson`), 'a');
    files.set(source, file);
    return file;
  };

  /** Adds a part, and writes the export that it completes at once, since it may be large. */
  const writeExport = async (source: string, envelope: RawEnvelope): Promise<void> => {
    const complete = exports.add(source, envelope);
    if (!complete) return;
    const line = formatRecordingLine({ ...complete, source, request: envelope.request });
    if (line === null) {
      skipped += 1;
      return;
    }
    await (await fileOf(source)).appendFile(`${line}\n`);
    counts.set(source, (counts.get(source) ?? 0) + 1);
  };

  return {
    async write(envelopes) {
      const texts = new Map<string, string[]>();
      for (const envelope of envelopes) {
        const source = `${envelope.provider}.${envelope.stream}`;
        if (EXPORT_TOPICS.has(`raw.${source}`)) {
          await writeExport(source, envelope);
          continue;
        }
        const { receivedAt: at, request } = envelope;
        const line = formatRecordingLine({ at, source, request, payload: envelope.payload.toString() });
        if (line === null) {
          skipped += 1;
          continue;
        }
        const own = texts.get(source);
        if (own) own.push(line);
        else texts.set(source, [line]);
      }
      for (const [source, lines] of texts) {
        await (await fileOf(source)).appendFile(`${lines.join('\n')}\n`);
        counts.set(source, (counts.get(source) ?? 0) + lines.length);
      }
    },

    async close() {
      for (const file of files.values()) await file.close();
      files.clear();
      return { lines: counts, skipped };
    },
  };
}
