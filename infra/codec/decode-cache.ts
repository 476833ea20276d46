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
  /** Records with cached values, as a ring: `count` of them, the oldest at `oldest`. */
  private readonly cached = new Array<LogRecord | undefined>(VALUES_MAX);
  private oldest = 0;
  private count = 0;
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
    if (this.count === VALUES_MAX) this.dropOldest();
    this.cached[(this.oldest + this.count) % VALUES_MAX] = record;
    this.count += 1;
    this.bytes += record.value!.length;
    while (this.bytes > BYTES_MAX) this.dropOldest();
  }

  private dropOldest(): void {
    const record = this.cached[this.oldest]!;
    this.cached[this.oldest] = undefined;
    this.oldest = (this.oldest + 1) % VALUES_MAX;
    this.count -= 1;
    this.bytes -= record.value!.length;
    record.decoded = undefined;
  }
}
