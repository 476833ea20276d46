import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LogRecord } from '../log.ts';
import { bodyOf, compressBlock } from './block-compression.ts';
import {
  decodeBody,
  encodeBlock,
  HEADER_BYTES,
  lastOf,
  type Position,
  positionBefore,
  readHeader,
} from './block-layout.ts';
import { readVarint, VARINT_BYTES_MAX, varintEnd, writeVarint } from './varint.ts';

const AT = { topic: 'a', partition: 3 };
const number = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });

/** Records whose offsets rise and whose append times never fall. */
const records = fc
  .array(
    fc.record({
      key: fc.string({ unit: 'grapheme', maxLength: 30 }),
      value: fc.oneof(
        fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
        fc.constant(null),
      ),
      receivedAt: fc.oneof(number, fc.integer({ min: 1_900_000_000_000, max: 1_900_000_000_050 })),
      seq: fc.oneof(number, fc.integer({ min: 0, max: 3 })),
      step: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 2 ** 40 })),
      pause: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 2 ** 40 })),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((made) => {
    let [offset, appendedAt] = [-1, 1_900_000_000_000];
    return made.map(({ step, pause, ...record }): LogRecord => {
      offset += step;
      appendedAt += pause;
      return { ...AT, ...record, offset, appendedAt };
    });
  });

const positionOf = ({ offset, appendedAt, receivedAt, seq }: LogRecord): Position => ({
  offset,
  appendedAt,
  receivedAt,
  seq,
});

function decode(block: Buffer): LogRecord[] {
  const header = readHeader(block);
  return decodeBody(AT.topic, AT.partition, header, bodyOf(header, block));
}

describe('a block', () => {
  it('returns the records that it was made of, compressed or not', () => {
    const holds = fc.property(records, fc.boolean(), (made, isFull) => {
      const { header, block } = encodeBlock(made, positionBefore(made[0]!));
      expect(decode(block)).toEqual(made);
      const compressed = compressBlock({ ...header, isFull }, block.subarray(HEADER_BYTES));
      expect(decode(compressed)).toEqual(made);
      expect(readHeader(compressed)).toMatchObject({ isFull, count: made.length, first: made[0]!.offset });
      expect(lastOf(compressed)).toEqual(positionOf(made.at(-1)!));
    });
    fc.assert(holds, { numRuns: 300 });
  });

  it('can be joined with the block that continues it', () => {
    const holds = fc.property(records, fc.nat(), (made, at) => {
      const cut = 1 + (at % made.length);
      const [older, newer] = [made.slice(0, cut), made.slice(cut)];
      fc.pre(newer.length > 0);
      const first = encodeBlock(older, positionBefore(older[0]!));
      const second = encodeBlock(newer, first.header.last);
      const body = Buffer.concat([first, second].map(({ block }) => block.subarray(HEADER_BYTES)));
      const header = { before: first.header.before, count: made.length };
      expect(decodeBody(AT.topic, AT.partition, header, body)).toEqual(made);
    });
    fc.assert(holds, { numRuns: 200 });
  });

  it('is much smaller than its records once it is compressed', () => {
    const made = Array.from({ length: 400 }, (_, index): LogRecord => {
      const value = Buffer.from(JSON.stringify({ coin: 'ETH', px: String(3_000 + index), side: 'B', sz: '0.25' }));
      return { ...AT, key: 'feed', value, receivedAt: index, seq: index + 1, offset: index, appendedAt: index };
    });
    const { header, block } = encodeBlock(made, positionBefore(made[0]!));
    expect(compressBlock(header, block.subarray(HEADER_BYTES)).length).toBeLessThan(block.length / 4);
  });

  it('rejects numbers that are not integers', () => {
    const broken: LogRecord = { ...AT, key: 'k', value: null, receivedAt: 1.5, seq: 1, offset: 0, appendedAt: 0 };
    expect(() => encodeBlock([broken], { offset: -1, appendedAt: 0, receivedAt: 0, seq: 0 })).toThrow(RangeError);
  });
});

it('reads numbers as they were written, and finds their ends', () => {
  const holds = fc.property(fc.oneof(number, fc.integer({ min: 0, max: 300 })), (value) => {
    const bytes = Buffer.alloc(VARINT_BYTES_MAX, 0xff);
    const end = writeVarint(bytes, 0, value);
    expect([readVarint(bytes, 0), varintEnd(bytes, 0)]).toEqual([value, end]);
  });
  fc.assert(holds, { numRuns: 500 });
});
