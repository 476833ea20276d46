import type { Logger } from 'pino';
import { type Codec, CodecError } from '#infra/codec/codec';
import type { LogRecord } from '#infra/log/log';
import type { Topic } from '#schemas/topics/topic';

/** The value of a record; null, and logged, if it cannot be decoded. Rejects while its schema cannot be fetched. */
export async function decodeRecord<T>(
  { codec, logger }: { readonly codec: Codec; readonly logger: Logger },
  topic: Topic<T>,
  { value, offset, partition }: LogRecord,
): Promise<T | null> {
  if (value === null) return null;
  try {
    await codec.fetchSchema(value);
    return codec.decode(topic, value);
  } catch (error) {
    if (!(error instanceof CodecError) || error.code === 'unknown_schema') throw error;
    logger.error({ topic: topic.name, partition, offset, error }, 'skipped a record that cannot be decoded');
    return null;
  }
}
