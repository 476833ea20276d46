/**
 * Encodes whole numbers from 0 to 2^53 − 1, base 128, lowest bits first; the highest bit of a byte says that another
 * follows.
 */

export const VARINT_BYTES_MAX = 8;
/** Numbers up to here can use bit operations. */
const BITS_MAX = 0x7fff_ffff;

/** Writes a number; returns the index after it. Throws for other values than whole numbers in the range. */
export function writeVarint(bytes: Buffer, start: number, number: number): number {
  if (!Number.isSafeInteger(number) || number < 0) throw new RangeError(`${number} is not a whole number from 0 on`);
  let at = start;
  let rest = number;
  while (rest > BITS_MAX) {
    bytes[at] = (rest % 128) | 0x80;
    rest = Math.floor(rest / 128);
    at += 1;
  }
  while (rest > 0x7f) {
    bytes[at] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
    at += 1;
  }
  bytes[at] = rest;
  return at + 1;
}

/** Reads the number at this index. */
export function readVarint(bytes: Buffer, start: number): number {
  const first = bytes[start]!;
  if (first < 0x80) return first;
  let value = first & 0x7f;
  let scale = 128;
  for (let at = start + 1; ; at += 1) {
    const byte = bytes[at];
    if (byte === undefined) throw new RangeError('the bytes end within a number');
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) return value;
    scale *= 128;
  }
}

/** Returns the index after the number at this index. */
export function varintEnd(bytes: Buffer, start: number): number {
  let at = start;
  while (bytes[at]! >= 0x80) at += 1;
  return at + 1;
}
