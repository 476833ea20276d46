/** Replaces records that are too large for the log by dead letters, which hold their first bytes. */
import type { Logger } from 'pino';
import type { Codec } from '#infra/codec/codec';
import { deadLetterRecord, NO_OFFSET, TOO_LARGE, tooLargeDetail } from '#infra/log/dead-letter';
import type { AppendRecord, TopicPartition } from '#infra/log/log';
import type { Metrics } from '#infra/telemetry/metrics';

const STAGE = 'ingest';

export interface OversizedRecord extends TopicPartition {
  readonly key: string;
  readonly receivedAt: number;
  readonly value: Buffer;
  /** Size of the complete record. */
  readonly bytes: number;
}

export class OversizedRecords {
  private readonly codec: Codec;
  private readonly metrics: Metrics;
  private readonly logger: Logger;
  private count = 0;

  constructor({ codec, metrics, logger }: { codec: Codec; metrics: Metrics; logger: Logger }) {
    this.codec = codec;
    this.metrics = metrics;
    this.logger = logger;
  }

  /** Returns the dead letter that replaces the record. */
  deadLetter({ topic, partition, key, receivedAt, value, bytes }: OversizedRecord): AppendRecord {
    this.count += 1;
    this.metrics.deadLetters.inc({ topic, reason: TOO_LARGE });
    this.logger.warn(
      { topic, feed: key, bytes },
      'record too large for the log; stored as a dead letter with its first bytes only',
    );
    // The count makes keys of the same millisecond unique; playback counts them in the same order.
    return deadLetterRecord(this.codec, `${STAGE}/${partition}/${receivedAt}-${this.count}`, {
      receivedAt,
      stage: STAGE,
      topic,
      partition,
      offset: NO_OFFSET,
      key,
      reason: TOO_LARGE,
      detail: tooLargeDetail(bytes),
      value,
    });
  }
}
