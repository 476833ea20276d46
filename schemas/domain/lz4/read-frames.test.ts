import { describe, expect, it } from 'vitest';
import { Lz4Error, readLz4Frames } from './read-frames.ts';
import { xxh32 } from './xxh32.ts';

/** The text below, compressed by the `lz4` program: with checksums and size, with linked blocks of 64 KB, and plain. */
const FRAMES = {
  checked:
    'BCJNGHxAoIwAAAAAAACfmAEAAMFsaW5lIDAgb2YgMAoMABAxDAASMQwAEDIMABI0DAAQMwwAEjkMABA0DAASNQwAEDUMABIzDAAXNgwAFzAkABcxPAANVAAXMVQAFzBUABcxVAAXNFQAFzlUABc1VAAXM1QAHzOoAAQfOVQABBcxVAAXMFQAFzFUABc0VAAXOVQAHzX8AAQfM6gABB85VAAEFzFUABcwVAAXMVQAHzRQAQQfNfwABB8zqAAEHzlUAAQI+AEfMKQBBB80UAEEHzX8AAQfM6gABB85VAAECPgBHzCkAQQfNFABBB81/AAEHzOoAAQfOVQABAj4AR8wpAEEHzRQAQQfNfwABB8zqAAEHzlUAAQvMQqcA///////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////dVBvZiA1CnF6KosAAAAARIp27g==',
  linked:
    'BCJNGGRAp5gBAADBbGluZSAwIG9mIDAKDAAQMQwAEjEMABAyDAASNAwAEDMMABI5DAAQNAwAEjUMABA1DAASMwwAFzYMABcwJAAXMTwADVQAFzFUABcwVAAXMVQAFzRUABc5VAAXNVQAFzNUAB8zqAAEHzlUAAQXMVQAFzBUABcxVAAXNFQAFzlUAB81/AAEHzOoAAQfOVQABBcxVAAXMFQAFzFUAB80UAEEHzX8AAQfM6gABB85VAAECPgBHzCkAQQfNFABBB81/AAEHzOoAAQfOVQABAj4AR8wpAEEHzRQAQQfNfwABB8zqAAEHzlUAAQI+AEfMKQBBB80UAEEHzX8AAQfM6gABB85VAAELzEKnAP//////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////3VQb2YgNQoAAAAARIp27g==',
  plain:
    'BCJNGGBAgpgBAADBbGluZSAwIG9mIDAKDAAQMQwAEjEMABAyDAASNAwAEDMMABI5DAAQNAwAEjUMABA1DAASMwwAFzYMABcwJAAXMTwADVQAFzFUABcwVAAXMVQAFzRUABc5VAAXNVQAFzNUAB8zqAAEHzlUAAQXMVQAFzBUABcxVAAXNFQAFzlUAB81/AAEHzOoAAQfOVQABBcxVAAXMFQAFzFUAB80UAEEHzX8AAQfM6gABB85VAAECPgBHzCkAQQfNFABBB81/AAEHzOoAAQfOVQABAj4AR8wpAEEHzRQAQQfNfwABB8zqAAEHzlUAAQI+AEfMKQBBB80UAEEHzX8AAQfM6gABB85VAAELzEKnAP//////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////////3VQb2YgNQoAAAAA',
} as const;
const TEXT = Array.from({ length: 3_000 }, (_, nth) => `line ${nth % 7} of ${(nth * nth) % 11}\n`).join('');

const read = (bytes: Buffer, bytesMax = 1_000_000) => Buffer.concat([...readLz4Frames(bytes, bytesMax)]).toString();
const frame = (name: keyof typeof FRAMES) => Buffer.from(FRAMES[name], 'base64');
const changed = (bytes: Buffer, at: number) => {
  const copy = Buffer.from(bytes);
  copy[at < 0 ? copy.length + at : at]! ^= 1;
  return copy;
};

it('the checksum is that of the reference implementation', () => {
  expect(xxh32(Buffer.from(''))).toBe(0x02cc5d05);
  expect(xxh32(Buffer.from('abc'))).toBe(0x32d153ff);
  expect(xxh32(Buffer.from('Nobody inspects the spammish repetition'))).toBe(0xe2293b2f);
});

describe('readLz4Frames', () => {
  it.each(Object.keys(FRAMES) as (keyof typeof FRAMES)[])('reads a frame that is %s', (name) => {
    expect(read(frame(name))).toBe(TEXT);
  });

  it('reads frames behind each other, skips those that are no content, and yields chunks', () => {
    const skipped = Buffer.from([0x5a, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 7, 7]);
    expect(read(Buffer.concat([skipped, frame('checked'), frame('plain')]))).toBe(TEXT + TEXT);
    expect([...readLz4Frames(frame('linked'), 1_000_000)].length).toBeGreaterThan(1);
  });

  it('refuses a frame that is cut off, at any byte', () => {
    const whole = frame('checked');
    for (let bytes = 0; bytes < whole.length; bytes += 1)
      expect(() => read(whole.subarray(0, bytes)), `${bytes} bytes`).toThrow(Lz4Error);
  });

  it.each([
    ['nothing', Buffer.alloc(0), 'there is no LZ4 frame'],
    ['text', Buffer.from('time,user,coin\n'), 'not an LZ4 frame'],
    ['another checksum of the content', changed(frame('checked'), -1), 'the checksum of the content differs'],
    [
      'another checksum of the descriptor',
      changed(frame('checked'), 14),
      'the checksum of the frame descriptor differs',
    ],
    ['a changed block', changed(frame('checked'), 30), 'the checksum of a block differs'],
    ['an unknown version', changed(frame('checked'), 4).fill(0x80, 4, 5), 'version 2 of the frame is unknown'],
  ])('refuses %s', (_, bytes, message) => {
    expect(() => read(bytes)).toThrow(message);
  });

  it('ends after the limit, before it has decompressed the rest', () => {
    expect(() => read(frame('linked'), TEXT.length - 1)).toThrow(`the content has more than ${TEXT.length - 1} bytes`);
    expect(read(frame('linked'), TEXT.length)).toBe(TEXT);
  });
});
