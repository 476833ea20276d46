import { describe, expect, it } from 'vitest';
import { deadLetterTopic } from '#schemas/topics/control';
import { createCodec } from '../codec/create-codec.ts';
import { deadLetterOf, deadLetterRecord, TOO_LARGE } from './dead-letter.ts';
import { isTooLarge, RECORD_BYTES_MAX } from './record-size.ts';

const codec = createCodec({ register: async () => 1, fetch: async () => '' });
const deadLetter = {
  receivedAt: 7,
  stage: 's',
  topic: 'raw.venue_a.ws',
  partition: 0,
  offset: 3,
  key: 'k',
  reason: 'malformed_json',
  detail: 'd',
  value: Buffer.from('{'),
};
const topic = deadLetterTopic(deadLetter.topic);

describe('a dead letter', () => {
  it('stores the failed record and its reason, unnumbered', async () => {
    await codec.prepare([topic]);
    const record = deadLetterRecord(codec, 's/0/3', deadLetter);
    expect(record).toMatchObject({ topic: 'dead.raw.venue_a.ws', partition: 0, key: 's/0/3', receivedAt: 7, seq: 0 });
    expect(codec.decode(topic, record.value!)).toEqual(deadLetter);
  });

  it('of a record of the log has the same key whenever that record is processed again', async () => {
    await codec.prepare([topic]);
    const { stage, reason, detail, ...rest } = deadLetter;
    const failed = { ...rest, seq: 9, appendedAt: 8 };
    const record = deadLetterOf(codec, failed, { stage, reason, detail });
    expect(record).toEqual(deadLetterRecord(codec, 's/0/3', deadLetter));
    expect(deadLetterOf(codec, failed, { stage, reason, detail, index: 2 }).key).toBe('s/0/3/2');
  });

  it('fits into the log, however large its value and detail are', async () => {
    await codec.prepare([topic]);
    const value = Buffer.alloc(RECORD_BYTES_MAX * 2, 'x');
    const record = deadLetterRecord(codec, 's/0/3', { ...deadLetter, value, detail: 'y'.repeat(RECORD_BYTES_MAX) });
    expect(isTooLarge(record)).toBe(false);
    const stored = codec.decode(topic, record.value!).value!;
    expect(value.subarray(0, stored.length).equals(stored)).toBe(true);
  });

  it('stores the first bytes of a value that is too large', async () => {
    await codec.prepare([topic]);
    const record = deadLetterRecord(codec, 'k', { ...deadLetter, reason: TOO_LARGE, value: Buffer.alloc(1_000_000) });
    expect(codec.decode(topic, record.value!).value).toHaveLength(64 * 1024);
  });
});
