/**
 * How far the search for earlier outcomes came, in a topic of its own: among the raw records it would be lost behind those
 * that the reads of clients add.
 */
import type { Codec } from '#infra/codec/codec';
import type { EventLog } from '#infra/log/log';
import { NoteWriter } from '#infra/log/note-writer';
import { earlierOutcomesTopic as TOPIC } from '#schemas/topics/earlier-outcomes';

const AT = { topic: TOPIC.name, partition: 0 };
const KEY = 'cursor';

type Log = Pick<EventLog, 'createTopics' | 'append' | 'last'>;

export class EarlierCursor {
  private readonly writer: NoteWriter;
  private readonly codec: Codec;
  private saved: number | null;

  private constructor(log: Log, codec: Codec, saved: number | null, newestAt: number) {
    this.writer = new NoteWriter(log, newestAt);
    this.codec = codec;
    this.saved = saved;
  }

  static async open(log: Log, codec: Codec): Promise<EarlierCursor> {
    await log.createTopics([TOPIC]);
    await codec.prepare([TOPIC]);
    const newest = await log.last(AT);
    if (!newest?.value) return new EarlierCursor(log, codec, null, 0);
    await codec.fetchSchema(newest.value);
    return new EarlierCursor(log, codec, codec.decode(TOPIC, newest.value).outcome, newest.receivedAt);
  }

  /** The outcome that was requested last; null if none was. */
  get outcome(): number | null {
    return this.saved;
  }

  /** Saves it if it changed. Needs the lease of ingest. While the disk is full, it waits until the signal aborts. */
  async save(outcome: number | null, signal: AbortSignal): Promise<void> {
    if (outcome === null || outcome === this.saved) return;
    await this.writer.write((receivedAt) => {
      const value = this.codec.encode(TOPIC, { outcome, receivedAt });
      return { ...AT, key: KEY, value, receivedAt, seq: 0 };
    }, signal);
    this.saved = outcome;
  }
}
