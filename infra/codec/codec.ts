import type { Topic } from '#schemas/topics/topic';
import type { LogRecord } from '../log/log.ts';

/** Encodes and decodes Avro in the Confluent wire format: magic byte 0, 4-byte schema id, body. */
export interface Codec {
  /** Registers the schemas of topics. Required once for each topic before it is encoded. */
  prepare(topics: readonly Topic[]): Promise<void>;
  /** Encodes a value synchronously: schema ids are known after `prepare`. */
  encode<T>(topic: Topic<T>, value: T): Buffer;
  /**
   * Decodes a record with the schema that it was written with, into the current type. Throws `CodecError`
   * (`unknown_schema`: `await codec.fetchSchema(bytes)` and try again; `malformed`: dead letter).
   */
  decode<T>(topic: Topic<T>, bytes: Buffer): T;
  /**
   * Decodes the value of a record that is no tombstone, like `decode`. Readers of one process that get the same record
   * share the value, so it must not be changed.
   */
  decodeRecord<T>(topic: Topic<T>, record: LogRecord): T;
  /** False if the schema that the bytes name has to be fetched before they can be decoded. */
  hasSchema(bytes: Buffer): boolean;
  /** Fetches the writer schema that the bytes name. */
  fetchSchema(bytes: Buffer): Promise<void>;
}

export class CodecError extends Error {
  override name = 'CodecError';
  readonly code: 'unknown_schema' | 'malformed' | 'incompatible_schema';
  constructor(code: CodecError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
