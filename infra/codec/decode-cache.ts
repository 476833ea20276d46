/**
 * Caches recently decoded values. Readers of the embedded log in one process get the same record objects, so a record
 * that several stages read is decoded once.
 */
import type { Topic } from '#schemas/topics/topic';
import type { LogRecord } from '../log/log.ts';
import type { Codec } from './codec.ts';

/** The stages of one process read a record within a few thousand others. */
const VALUES_MAX = 4_096;
/** Encoded bytes of the records with cached values: a page of a catalog has hundreds of kilobytes. */
const BYTES_MAX = 16 * 1024 * 1024;

export class DecodeCache {
  private readonly codec: Pick<Codec, 'decode'>;
  /** Records with cached values, the oldest first. */
  private readonly cached = new Set<LogRecord>();
  private bytes = 0;

  constructor(codec: Pick<Codec, 'decode'>) {
    this.codec = codec;
  }

  /** Returns the value of a record that is no tombstone; it must not be changed. Throws like `Codec.decode`. */
  get<T>(topic: Topic<T>, record: LogRecord): T {
    if (record.decoded !== undefined) return record.decoded as T;
    const value = this.codec.decode(topic, record.value!);
    record.decoded = value;
    this.add(record);
    return value;
  }

  private add(record: LogRecord): void {
    this.cached.add(record);
    this.bytes += record.value!.length;
    for (const oldest of this.cached) {
      if (this.cached.size <= VALUES_MAX && this.bytes <= BYTES_MAX) return;
      this.cached.delete(oldest);
      this.bytes -= oldest.value!.length;
      oldest.decoded = undefined;
    }
  }
}
