/**
 * Values that were decoded lately. Readers of the embedded log in one process get the same record objects, so a record
 * that several stages take is decoded once, by the first that reads its value.
 */
import type { Topic } from '#schemas/topics/topic';
import type { LogRecord } from '../log/log.ts';
import type { Codec } from './codec.ts';

/** Stages of one process take a record within a few thousand others. */
const VALUES_MAX = 4_096;

export class SharedValues {
  private readonly codec: Pick<Codec, 'decode'>;
  /** Records whose values are kept, the oldest at `next` once the list is full. */
  private readonly kept: LogRecord[] = [];
  private next = 0;

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
    const oldest = this.kept[this.next];
    if (oldest) oldest.decoded = undefined;
    this.kept[this.next] = record;
    this.next = (this.next + 1) % VALUES_MAX;
  }
}
