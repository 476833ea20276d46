import { LogError, type LogErrorCode } from '../log.ts';

interface KafkaError {
  readonly name: string;
  readonly message: string;
  /** Name of the protocol's error code. */
  readonly type?: string;
  readonly cause?: unknown;
  readonly originalError?: unknown;
}

const CODES: Readonly<Record<string, LogErrorCode>> = {
  UNKNOWN_TOPIC_OR_PARTITION: 'log_unknown_topic',
  INVALID_TOPIC_EXCEPTION: 'log_unknown_topic',
  ILLEGAL_GENERATION: 'log_fenced',
  UNKNOWN_MEMBER_ID: 'log_fenced',
  REBALANCE_IN_PROGRESS: 'log_fenced',
  FENCED_INSTANCE_ID: 'log_fenced',
  INVALID_PRODUCER_EPOCH: 'log_fenced',
  MESSAGE_TOO_LARGE: 'log_too_large',
  RECORD_LIST_TOO_LARGE: 'log_too_large',
};

/** Maps an error of kafkajs to a `LogError`; unknown errors count as `log_unavailable`. */
export function toLogError(error: unknown, doing: string): LogError {
  if (error instanceof LogError) return error;
  const type = protocolType(error);
  const text = error instanceof Error ? error.message : String(error);
  return new LogError((type && CODES[type]) || 'log_unavailable', `Kafka: ${doing} failed: ${text}`, { cause: error });
}

/** Returns the protocol error code of an error or of its causes. */
export function protocolType(error: unknown): string | undefined {
  let at = error as KafkaError | undefined;
  for (let depth = 0; at && depth < 5; depth += 1) {
    if (at.type) return at.type;
    at = (at.cause ?? at.originalError) as KafkaError | undefined;
  }
  return undefined;
}
