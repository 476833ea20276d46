import { createRequire } from 'node:module';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RawRecord } from './kafka-client.ts';
import { type FetchAnswer, readFetchAnswer } from './record-batches.ts';
import { fromMessage } from './record-mapping.ts';

/** The encoder and decoder of kafkajs. */
const inside = createRequire(import.meta.url);
const { RecordBatch } = inside('kafkajs/src/protocol/recordBatch/v0/index.js');
const recordOf = inside('kafkajs/src/protocol/recordBatch/record/v0/index.js');
const Encoder = inside('kafkajs/src/protocol/encoder.js');
const decodeOfKafkajs = (version: number): ((bytes: Buffer) => Promise<FetchAnswer>) =>
  inside(`kafkajs/src/protocol/requests/fetch/v${version}/response.js`).decode;

/** Index of the magic byte. */
const MAGIC_AT = 16;
const ATTRIBUTES_AT = 21;
const GZIP = 1;
const ZSTD = 4;

interface Batch {
  readonly firstOffset: number;
  readonly firstTimestamp: number;
  readonly maxTimestamp: number;
  readonly records: readonly object[];
  readonly compression?: number;
}

async function bytesOf({ records, firstOffset, ...batch }: Batch): Promise<Buffer> {
  const encoded = records.map((record, offsetDelta) => recordOf({ offsetDelta, ...record }));
  const [offset, lastOffsetDelta] = [BigInt(firstOffset), records.length - 1];
  return (await RecordBatch({ ...batch, firstOffset: offset, lastOffsetDelta, records: encoded })).buffer;
}

/** A broker's answer with one partition that holds these bytes. */
function answerOf(version: number, bytes: Buffer, errorCode = 0, aborted = 1): Buffer {
  const partition = new Encoder().writeInt32(3).writeInt16(errorCode);
  partition
    .writeInt64(2 ** 40 + 5)
    .writeInt64(7)
    .writeInt64(1)
    .writeInt32(aborted);
  if (aborted > 0) partition.writeInt64(9).writeInt64(10);
  if (version === 11) partition.writeInt32(-1);
  partition.writeBytes(bytes);
  const topic = new Encoder().writeString('control.commands').writeInt32(1).writeEncoder(partition);
  const answer = new Encoder().writeInt32(12).writeInt16(0).writeInt32(0).writeInt32(1).writeEncoder(topic);
  return answer.buffer;
}

const messagesOf = (answer: FetchAnswer | null): readonly RawRecord[] => answer!.responses[0]!.partitions[0]!.messages;
/** The fields of a record that the reader uses. */
const fieldsOf = (message: RawRecord) => ({
  record: fromMessage('control.commands', 3, message),
  names: Object.keys(message.headers),
  isControlRecord: message.isControlRecord,
  ends: [Number(message.batchContext.firstOffset), message.batchContext.lastOffsetDelta],
});

const bytes = fc.uint8Array({ maxLength: 200 }).map((values) => Buffer.from(values));
const record = fc.record({
  key: fc.oneof(
    fc.string({ unit: 'grapheme' }).map((text) => Buffer.from(text)),
    fc.constant(null),
  ),
  value: fc.oneof(bytes, fc.constant(null)),
  timestampDelta: fc.integer({ min: -(2 ** 40), max: 2 ** 40 }),
  headers: fc.dictionary(
    fc.constantFrom('r', 's', 'ünknown', '__x'),
    fc.oneof(fc.integer().map(String), fc.constant(['1', '2', '3'])),
  ),
});
const batch = fc.record({
  firstOffset: fc.integer({ min: 0, max: 2 ** 45 }),
  firstTimestamp: fc.integer({ min: -1, max: 2 ** 42 }),
  maxTimestamp: fc.integer({ min: -1, max: 2 ** 42 }),
  records: fc.array(record, { minLength: 1, maxLength: 5 }),
  compression: fc.constantFrom(0, GZIP),
});

describe('the answer to a fetch', () => {
  it('is read as kafkajs reads it, in every version and however many batches it holds', async () => {
    const versions = fc.constantFrom(7, 8, 9, 10, 11);
    const cuts = fc.integer({ min: 0, max: 120 });
    const asked = fc.asyncProperty(versions, fc.array(batch, { maxLength: 4 }), cuts, async (version, batches, cut) => {
      const whole = Buffer.concat(await Promise.all(batches.map(bytesOf)));
      // A broker truncates the last batch if the answer is full.
      const left = Math.max(0, whole.length - cut);
      // kafkajs fails on too few bytes to detect the version; no broker sends so few of its first batch.
      fc.pre(left === 0 || left > MAGIC_AT);
      const answer = answerOf(version, whole.subarray(0, left));
      const [read, theirs] = [readFetchAnswer(answer, version), await decodeOfKafkajs(version)(answer)];
      expect(messagesOf(read).map(fieldsOf)).toEqual(messagesOf(theirs).map(fieldsOf));
      expect(read).toMatchObject({ clientSideThrottleTime: 12, throttleTime: 0 });
      expect(read!.responses[0]).toMatchObject({ topicName: 'control.commands' });
      expect(read!.responses[0]!.partitions[0]).toMatchObject({
        partition: 3,
        errorCode: 0,
        highWatermark: 2 ** 40 + 5,
      });
    });
    await fc.assert(asked, { numRuns: 150 });
  });

  it('contains the error of a partition, which then has no records', () => {
    for (const version of [10, 11]) {
      const read = readFetchAnswer(answerOf(version, Buffer.alloc(0), 1, -1), version);
      expect(read!.responses[0]!.partitions).toMatchObject([{ partition: 3, errorCode: 1, messages: [] }]);
    }
  });

  it('uses the append time and marks control records if the batch says so', async () => {
    const one = { key: null, value: Buffer.from('v'), timestampDelta: 5 };
    const encoded = await bytesOf({ firstOffset: 4, firstTimestamp: 100, maxTimestamp: 900, records: [one] });
    encoded.writeInt16BE(0x28, 21);
    const answer = answerOf(11, encoded);
    const [mine, theirs] = [readFetchAnswer(answer, 11), await decodeOfKafkajs(11)(answer)].map(messagesOf);
    expect(mine!.map(fieldsOf)).toEqual(theirs!.map(fieldsOf));
    expect(mine).toMatchObject([{ timestamp: 900, isControlRecord: true }]);
  });

  it('ends early if its batches are far larger decompressed, but never before the first batch', async () => {
    const batchOf = (firstOffset: number, mebibytes: number) =>
      bytesOf({
        firstOffset,
        firstTimestamp: 100,
        maxTimestamp: 100,
        records: [{ key: null, value: Buffer.alloc(mebibytes * 2 ** 20) }],
        compression: GZIP,
      });
    const offsetsOf = async (...sizes: number[]) => {
      const batches = Buffer.concat(await Promise.all(sizes.map((size, index) => batchOf(index, size))));
      return messagesOf(readFetchAnswer(answerOf(11, batches), 11)).map(({ offset }) => offset);
    };
    expect(await offsetsOf(3, 3, 3, 3)).toEqual([0, 1, 2]);
    expect(await offsetsOf(20, 1)).toEqual([0]);
  });

  it('is left to kafkajs if it has another compression than gzip, old messages, or another version', async () => {
    const one = { key: null, value: Buffer.from('v') };
    const plain = { firstOffset: 4, firstTimestamp: 100, maxTimestamp: 900, records: [one] };
    const compressed = await bytesOf(plain);
    compressed.writeInt16BE(ZSTD, ATTRIBUTES_AT);
    expect(readFetchAnswer(answerOf(11, compressed), 11)).toBeNull();
    const ofOld = await bytesOf(plain);
    ofOld.writeInt8(1, 16);
    expect(readFetchAnswer(answerOf(11, ofOld), 11)).toBeNull();
    const answer = answerOf(10, await bytesOf(plain));
    expect(readFetchAnswer(answer, 10)).not.toBeNull();
    for (const version of [6, 12]) expect(readFetchAnswer(answer, version)).toBeNull();
  });
});
