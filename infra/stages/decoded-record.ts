import type { Topic } from '#schemas/topics/topic';
import type { Codec } from '../codec/codec.ts';
import type { LogRecord } from '../log/log.ts';
import type { StageRecord } from './stage.ts';

/** A record of the log as a handler sees it. The value is decoded on first access. */
export class DecodedRecord implements StageRecord<unknown> {
  readonly key: string;
  readonly receivedAt: number;
  private readonly schema: Topic;
  private readonly record: LogRecord;
  private readonly codec: Codec;

  constructor(schema: Topic, record: LogRecord, codec: Codec) {
    this.key = record.key;
    this.receivedAt = record.receivedAt;
    this.schema = schema;
    this.record = record;
    this.codec = codec;
  }

  get topic(): string {
    return this.record.topic;
  }

  get partition(): number {
    return this.record.partition;
  }

  get offset(): number {
    return this.record.offset;
  }

  /** Null for a tombstone. Throws `CodecError` for bytes that do not fit the schema. */
  get value(): unknown {
    return this.record.value === null ? null : this.codec.decodeRecord(this.schema, this.record);
  }
}
