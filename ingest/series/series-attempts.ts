/** Publishes the requests for series of all venues, so that every node can report them. */
import type { Codec } from '#infra/codec/codec';
import type { EventLog } from '#infra/log/log';
import { NoteWriter } from '#infra/log/note-writer';
import { type SeriesAttempt, seriesAttemptTopic } from '#schemas/topics/series-attempts';

const AT = { topic: seriesAttemptTopic.name, partition: 0 };

export class SeriesAttempts {
  private readonly codec: Codec;
  private readonly writer: NoteWriter;

  private constructor(codec: Codec, writer: NoteWriter) {
    this.codec = codec;
    this.writer = writer;
  }

  /** Needs the lease of ingest, under which it is opened once: a topic has one writer. */
  static async open(log: EventLog, codec: Codec): Promise<SeriesAttempts> {
    await log.createTopics([seriesAttemptTopic]);
    await codec.prepare([seriesAttemptTopic]);
    const newest = await log.last(AT);
    return new SeriesAttempts(codec, new NoteWriter(log, newest?.receivedAt ?? 0));
  }

  /** Resolves when the attempt is in the log. */
  publish(attempt: Omit<SeriesAttempt, 'receivedAt'>, signal: AbortSignal): Promise<void> {
    return this.writer.write((receivedAt) => {
      const value = this.codec.encode(seriesAttemptTopic, { ...attempt, receivedAt });
      return { ...AT, key: attempt.account, value, receivedAt, seq: 0 };
    }, signal);
  }
}
