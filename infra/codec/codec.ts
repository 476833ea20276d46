import type { Topic } from '#schemas/topics/topic';
import type { LogRecord } from '../log/log.ts';

/** Avro in the Confluent wire format: magic byte 0, 4-byte schema id, body. */
export interface Codec {
  /** Must have been called for a topic, once, before it is encoded; registers the schema. */
  prepare(topics: readonly Topic[]): Promise<void>;
  /** Synchronous: ids are known after `prepare`. */
  encode<T>(topic: Topic<T>, value: T): Buffer;
  /**
   * Reads with the schema that the record was written with, into today's shape. Throws `CodecError`
   * (`unknown_schema`: `await codec.learn(buffer)` and try again; `malformed`: dead letter).
   */
  decode<T>(topic: Topic<T>, bytes: Buffer): T;
  /**
   * What a record that is no tombstone holds, like `decode`. Readers of one process that get the same record share the
   * value, so it must not be changed.
   */
  decodeRecord<T>(topic: Topic<T>, record: LogRecord): T;
  /** False while the schema that the bytes name has to be learned before they can be decoded. */
  knows(bytes: Buffer): boolean;
  /** Fetches the writer schema that the record names. */
  learn(bytes: Buffer): Promise<void>;
}

export class CodecError extends Error {
  override name = 'CodecError';
  readonly code: 'unknown_schema' | 'malformed' | 'incompatible_schema';
  constructor(code: CodecError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
