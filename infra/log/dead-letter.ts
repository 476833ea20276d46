/** Builds dead-letter records, which are always small enough for the log, whatever they contain. */
import { type DeadLetter, deadLetterTopic } from '#schemas/topics/control';
import type { Codec } from '../codec/codec.ts';
import type { AppendRecord, LogRecord } from './log.ts';
import { PAYLOAD_BYTES_MAX } from './record-size.ts';

/**
 * Reason of a dead letter about a value above the log's size limit. Its value is truncated, so it is never redriven.
 */
export const TOO_LARGE = 'too_large';
/** Offset of a dead letter about something that never reached the log. */
export const NO_OFFSET = -1;
/** Stored bytes of a value that is too large. */
const TOO_LARGE_STORED_BYTES = 64 * 1024;
const DETAIL_CHARACTERS_MAX = 4_096;

export interface Failure {
  /** The stage that could not process the record. */
  readonly stage: string;
  readonly reason: string;
  readonly detail: string;
  /** Number of the dead letter within its record; 0 for the first. */
  readonly index?: number;
}

/** Builds the dead letter of a record of the log. Its key is the same whenever the record is processed again. */
export function deadLetterOf(codec: Codec, record: LogRecord, failure: Failure): AppendRecord {
  const { topic, partition, offset, key, value, receivedAt } = record;
  const { stage, reason, detail, index = 0 } = failure;
  const name = `${stage}/${partition}/${offset}${index === 0 ? '' : `/${index}`}`;
  return deadLetterRecord(codec, name, {
    receivedAt,
    stage,
    topic,
    partition,
    offset,
    key,
    reason,
    detail,
    value,
  });
}

/**
 * Builds the record for a dead letter on its `dead.<topic>`, which must have been prepared.
 * @param key identifies a repeat of the same dead letter.
 */
export function deadLetterRecord(codec: Codec, key: string, deadLetter: DeadLetter): AppendRecord {
  const topic = deadLetterTopic(deadLetter.topic);
  const { receivedAt, detail } = deadLetter;
  const value = codec.encode(topic, {
    ...deadLetter,
    detail: detail.slice(0, DETAIL_CHARACTERS_MAX),
    value: deadLetter.value && truncated(deadLetter.value, deadLetter.reason),
  });
  // Unnumbered: several writers may write here.
  return { topic: topic.name, partition: 0, key, value, receivedAt, seq: 0 };
}

/** Detail of a dead letter about a value that the log would refuse. */
export function tooLargeDetail(bytes: number): string {
  return `${bytes} bytes, more than ${PAYLOAD_BYTES_MAX}; the first ${TOO_LARGE_STORED_BYTES} are stored`;
}

function truncated(value: Buffer, reason: string): Buffer {
  return value.subarray(0, reason === TOO_LARGE ? TOO_LARGE_STORED_BYTES : PAYLOAD_BYTES_MAX);
}
