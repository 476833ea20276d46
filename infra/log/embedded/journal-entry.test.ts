import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LogRecord } from '../log.ts';
import { decodeBody, HEADER_BYTES, positionBefore, readHeader } from './block-layout.ts';
import { EntryPacker, entryAt, entryBound, partsOf } from './journal-entry.ts';

const recordAt = (offset: number, key: string, value: Buffer | null): LogRecord => ({
  topic: 'a',
  partition: 0,
  key,
  value,
  receivedAt: offset * 3,
  seq: offset + 1,
  offset,
  appendedAt: offset,
});

const records = fc
  .array(fc.tuple(fc.string({ unit: 'grapheme', maxLength: 9 }), fc.option(fc.uint8Array({ maxLength: 300 }))), {
    minLength: 1,
    maxLength: 6,
  })
  .map((all) => all.map(([key, value], offset) => recordAt(offset, key, value && Buffer.from(value))));
const part = fc.record({ name: fc.string({ unit: 'grapheme', maxLength: 40 }), records });

function pack(number: number, parts: readonly { name: string; records: LogRecord[] }[]): Buffer {
  const packer = new EntryPacker(number, Buffer.alloc(entryBound(parts), 0xee));
  for (const { name, records: own } of parts) packer.add(name, own, positionBefore(own[0]!), Number.POSITIVE_INFINITY);
  return packer.finish();
}

describe('an entry of the journal', () => {
  it('returns the parts that were packed', () => {
    const holds = fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), fc.nat(), (parts, number) => {
      const entry = entryAt(Buffer.concat([Buffer.alloc(7), pack(number, parts), Buffer.alloc(9)]), 7, number)!;
      const found = Array.from(partsOf(entry), ({ name, block }) => {
        const body = block.subarray(HEADER_BYTES);
        return { name, records: decodeBody('a', 0, readHeader(block), body) };
      });
      expect(found).toEqual(parts);
    });
    fc.assert(holds);
  });

  it('is invalid if it ends early, was changed anywhere, or has another number', () => {
    const entry = pack(7, [{ name: 'a/0', records: [recordAt(0, 'key', Buffer.from('value'))] }]);
    expect(entryAt(entry, 0, 7)).toEqual(entry);
    expect(entryAt(entry, 0, 8)).toBeNull();
    for (let at = 0; at < entry.length; at += 1) {
      expect(entryAt(entry.subarray(0, at), 0, 7), `cut at ${at}`).toBeNull();
      const changed = Buffer.from(entry);
      changed[at]! ^= 0x10;
      expect(entryAt(changed, 0, 7), `changed at ${at}`).toBeNull();
    }
    expect(entryAt(Buffer.alloc(64), 0, 0)).toBeNull();
  });
});
