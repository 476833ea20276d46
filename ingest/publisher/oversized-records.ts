/** What is beyond the size that the log takes: kept as a dead letter with its beginning, instead of the record. */
import type { Logger } from 'pino';
import type { Codec } from '#infra/codec/codec';
import { deadLetterRecord, NO_OFFSET, TOO_LARGE, tooLargeDetail } from '#infra/log/dead-letter';
import type { AppendRecord, TopicPartition } from '#infra/log/log';
import type { Metrics } from '#infra/telemetry/metrics';

const STAGE = 'ingest';

export interface Refused extends TopicPartition {
  readonly key: string;
  readonly receivedAt: number;
  readonly value: Buffer;
  /** Size of all of it. */
  readonly bytes: number;
}

export class TooLarge {
  private readonly codec: Codec;
  private readonly metrics: Metrics;
  private readonly logger: Logger;
  private count = 0;

  constructor({ codec, metrics, logger }: { codec: Codec; metrics: Metrics; logger: Logger }) {
    this.codec = codec;
    this.metrics = metrics;
    this.logger = logger;
  }

  /** The dead letter that stands for it. */
  letter({ topic, partition, key, receivedAt, value, bytes }: Refused): AppendRecord {
    this.count += 1;
    this.metrics.deadLetters.inc({ topic, reason: TOO_LARGE });
    this.logger.warn(
      { topic, feed: key, bytes },
      'too large for the log; kept as a dead letter with its beginning only',
    );
    // Several may come in one millisecond; a recording that is played again counts them alike.
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
