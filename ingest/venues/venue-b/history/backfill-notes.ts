/** The states of backfills, in the log and in memory. */
import type { Codec } from '#infra/codec/codec';
import type { EventLog } from '#infra/log/log';
import { NoteWriter } from '#infra/log/note-writer';
import { readPartition } from '#infra/log/read-partition';
import { BACKFILL_RETENTION_HOURS, type Backfill, backfillTopic } from '#schemas/topics/backfills';

const AT = { topic: backfillTopic.name, partition: 0 };
const RETAINED_MS = BACKFILL_RETENTION_HOURS * 3_600_000;

type Log = Pick<EventLog, 'createTopics' | 'append' | 'reader' | 'last' | 'bounds'>;

export class BackfillNotes {
  private readonly codec: Codec;
  private readonly writer: NoteWriter;
  /** By id, the oldest first. */
  private readonly notes: Map<string, Backfill>;

  private constructor(codec: Codec, writer: NoteWriter, notes: Map<string, Backfill>) {
    this.codec = codec;
    this.writer = writer;
    this.notes = notes;
  }

  /** Reads what earlier processes noted. Needs the lease of ingest. */
  static async open(log: Log, codec: Codec): Promise<BackfillNotes> {
    await log.createTopics([backfillTopic]);
    await codec.prepare([backfillTopic]);
    const notes = new Map<string, Backfill>();
    let newestAt = 0;
    await readPartition(log, AT, async ({ value, receivedAt }) => {
      newestAt = receivedAt;
      if (!value) return;
      await codec.fetchSchema(value);
      const note = codec.decode(backfillTopic, value);
      notes.set(note.id, note);
    });
    return new BackfillNotes(codec, new NoteWriter(log, newestAt), notes);
  }

  /** The state of a backfill of the last 24 hours; null if there is none. */
  get(id: string): Backfill | null {
    const note = this.notes.get(id);
    return note && !isOld(note) ? note : null;
  }

  /** Those that have not ended, the oldest first. */
  unfinished(): Backfill[] {
    return [...this.notes.values()].filter(({ endedAt, ...note }) => endedAt === null && !isOld({ endedAt, ...note }));
  }

  /** Resolves when the state is in the log. */
  async put(note: Omit<Backfill, 'receivedAt'>, signal: AbortSignal): Promise<Backfill> {
    let written: Backfill = { ...note, receivedAt: Date.now() };
    this.notes.set(note.id, written);
    for (const [id, known] of this.notes) if (isOld(known)) this.notes.delete(id);
    await this.writer.write((receivedAt) => {
      written = { ...note, receivedAt };
      return { ...AT, key: note.id, value: this.codec.encode(backfillTopic, written), receivedAt, seq: 0 };
    }, signal);
    return written;
  }
}

function isOld({ endedAt, startedAt }: Pick<Backfill, 'endedAt' | 'startedAt'>): boolean {
  return (endedAt ?? startedAt) < Date.now() - RETAINED_MS;
}
