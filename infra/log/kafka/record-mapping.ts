/**
 * Maps a record to a Kafka message: key as UTF-8, value unchanged, the append's wall time as the timestamp, and two
 * headers in decimal text, `r` for `receivedAt` and `s` for `seq`.
 */
import type { Message } from 'kafkajs';
import type { AppendRecord, LogRecord } from '../log.ts';
import type { RawRecord } from './kafka-client.ts';

export function toMessage(record: AppendRecord, appendedAt: string): Message {
  return {
    partition: record.partition,
    key: record.key,
    value: record.value,
    timestamp: appendedAt,
    headers: { r: String(record.receivedAt), s: String(record.seq) },
  };
}

export function fromMessage(topic: string, partition: number, message: RawRecord): LogRecord {
  return {
    topic,
    partition,
    offset: Number(message.offset),
    key: message.key ? message.key.toString('utf8') : '',
    value: message.value,
    receivedAt: numberOf(message.headers.r),
    seq: numberOf(message.headers.s),
    appendedAt: Number(message.timestamp),
  };
}

/** A record of another program has no header: it counts as received at 0, unnumbered. */
function numberOf(header: RawRecord['headers'][string]): number {
  return header === undefined || Array.isArray(header) ? 0 : Number(header);
}
