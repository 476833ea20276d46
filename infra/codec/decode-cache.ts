/**
 * Values that were decoded lately. Readers of the embedded log in one process get the same record objects, so a record
 * that several stages take is decoded once, by the first that reads its value.
 */
import type { Topic } from '#schemas/topics/topic';
import type { LogRecord } from '../log/log.ts';
import type { Codec } from './codec.ts';

/** Stages of one process take a record within a few thousand others. */
const VALUES_MAX = 4_096;
/** Encoded bytes of the records whose values are kept: a page of a catalog has hundreds of kilobytes. */
const BYTES_MAX = 16 * 1024 * 1024;

export class SharedValues {
  private readonly codec: Pick<Codec, 'decode'>;
  /** Records whose values are kept, the oldest first. */
  private readonly kept = new Set<LogRecord>();
  private bytes = 0;

  constructor(codec: Pick<Codec, 'decode'>) {
    this.codec = codec;
  }

  /** The value of a record that is no tombstone; it must not be changed. Throws as `Codec.decode` does. */
  of<T>(topic: Topic<T>, record: LogRecord): T {
    if (record.decoded !== undefined) return record.decoded as T;
    const value = this.codec.decode(topic, record.value!);
    record.decoded = value;
    this.keep(record);
    return value;
  }

  private keep(record: LogRecord): void {
    this.kept.add(record);
    this.bytes += record.value!.length;
    for (const oldest of this.kept) {
      if (this.kept.size <= VALUES_MAX && this.bytes <= BYTES_MAX) return;
      this.kept.delete(oldest);
      this.bytes -= oldest.value!.length;
      oldest.decoded = undefined;
    }
  }
}
