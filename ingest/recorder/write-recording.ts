/** Writes raw records as a recording for playback: a file for each source, a line for each record. */
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { type ConnectionLife, formatLifeLine, formatRecordingLine, parseSource } from '#schemas/domain/recording';
import { EXPORT_TOPICS, type FeedEvent, type RawEnvelope } from '#schemas/topics/raw';
import { JoinedExports } from '../exports/joined-exports.ts';

export interface WrittenRecording {
  /** Lines written, by source. */
  readonly lines: ReadonlyMap<string, number>;
  /** Messages left out because they are not JSON, such as a venue's text `PONG`. */
  readonly skipped: number;
}

/** A message of a venue, or a change of a connection. */
export type RawRecord = RawEnvelope | FeedEvent;

/** The changes of a connection that a recording contains. */
const LIVES: Partial<Record<FeedEvent['kind'], ConnectionLife>> = {
  connected: 'connected',
  disconnected: 'disconnected',
};

export interface RecordingWriter {
  /** Writes raw records, which must be in ascending `receivedAt`. Resolves when they are in the files. */
  write(records: readonly RawRecord[]): Promise<void>;
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
    const line = formatRecordingLine({ ...complete, source, feed: envelope.key, request: envelope.request });
    if (line === null) {
      skipped += 1;
      return;
    }
    await (await fileOf(source)).appendFile(`${line}\n`);
    counts.set(source, (counts.get(source) ?? 0) + 1);
  };

  return {
    async write(records) {
      const texts = new Map<string, string[]>();
      for (const record of records) {
        const source = sourceOf(record);
        if (source === null) continue;
        if ('stream' in record && EXPORT_TOPICS.has(`raw.${source}`)) {
          await writeExport(source, record);
          continue;
        }
        const line = 'stream' in record ? messageLine(source, record) : lifeLine(source, record);
        if (line === null) {
          skipped += 'stream' in record ? 1 : 0;
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

/** `<venue>.<stream>` of a record; null for a connection that no raw topic stores. */
function sourceOf(record: RawRecord): string | null {
  if ('stream' in record) return `${record.provider}.${record.stream}`;
  // Connections of a stream are numbered: `venue_a.ws.3`.
  const source = record.feed.split('.').slice(0, 2).join('.');
  return parseSource(source) && source;
}

function messageLine(source: string, { receivedAt: at, key: feed, request, payload }: RawEnvelope): string | null {
  return formatRecordingLine({ at, source, feed, request, payload: payload.toString() });
}

function lifeLine(source: string, { receivedAt: at, feed, kind }: FeedEvent): string | null {
  const life = LIVES[kind];
  return life ? formatLifeLine({ at, source, feed }, life) : null;
}
