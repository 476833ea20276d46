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
  private readonly isShared: boolean;
  /** Undefined until it is decoded. */
  private decoded: unknown;

  /** @param isShared true if other readers of this process read the record at about the same time. */
  constructor(schema: Topic, record: LogRecord, codec: Codec, isShared: boolean) {
    this.key = record.key;
    this.receivedAt = record.receivedAt;
    this.schema = schema;
    this.record = record;
    this.codec = codec;
    this.isShared = isShared;
    this.decoded = undefined;
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
    if (this.decoded === undefined) this.decoded = this.decode();
    return this.decoded;
  }

  private decode(): unknown {
    const { record, schema, codec } = this;
    if (record.value === null) return null;
    return this.isShared ? codec.decodeRecord(schema, record) : codec.decode(schema, record.value);
  }
}
