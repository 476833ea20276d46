/** Dead letters as records, whoever writes them: always small enough for the log, whatever they are about. */
import { type DeadLetter, deadLetterTopic } from '#schemas/topics/control';
import type { Codec } from '../codec/codec.ts';
import type { AppendRecord } from './log.ts';
import { PAYLOAD_BYTES_MAX } from './record-size.ts';

/** The reason under which what is beyond the log's size is kept. Its value is a beginning only: never driven again. */
export const TOO_LARGE = 'too_large';
/** Offset of a letter about something that never came into the log. */
export const NO_OFFSET = -1;
/** What is kept of a value that is too large. */
const BEGINNING_BYTES = 64 * 1024;
const DETAIL_CHARACTERS_MAX = 4_096;

/**
 * The record that puts a letter on its `dead.<topic>`, which must have been prepared.
 *
 * @param key tells a repeat of the same letter: `<stage>/<partition>/<offset>` for what stands in the log.
 */
export function deadLetterRecord(codec: Codec, key: string, letter: DeadLetter): AppendRecord {
  const topic = deadLetterTopic(letter.topic);
  const { receivedAt, detail } = letter;
  const value = codec.encode(topic, {
    ...letter,
    detail: detail.slice(0, DETAIL_CHARACTERS_MAX),
    value: letter.value && keptOf(letter.value, letter.reason),
  });
  // Unnumbered: several writers may write here.
  return { topic: topic.name, partition: 0, key, value, receivedAt, seq: 0 };
}

/** What a letter says of a value that the log would not take. */
export function tooLargeDetail(bytes: number): string {
  return `${bytes} bytes, more than ${PAYLOAD_BYTES_MAX}; the first ${BEGINNING_BYTES} are kept`;
}

function keptOf(value: Buffer, reason: string): Buffer {
  return value.subarray(0, reason === TOO_LARGE ? BEGINNING_BYTES : PAYLOAD_BYTES_MAX);
}
