/**
 * Encodes a bucket in the bytes of a series: the distance of its key from the one before, the power of ten that is the
 * unit of its value, and the number of these units. Exact for every decimal; a price difference with its key takes four
 * bytes.
 */
import type { Decimal } from '#schemas/domain/decimal';

/** Possible units of a value: powers of ten, in units of 10^-18. The largest one that divides a value is used. */
const STEPS = [18, 15, 12, 6, 0].map((power) => 10n ** BigInt(power));
const EXACT_MAX = BigInt(Number.MAX_SAFE_INTEGER);
/** Greatest number of bits of a count that is read as a number; a longer one is read as a bigint. */
const NUMBER_BITS = 49;
const GROUP_BITS = 7;
const GROUP = 2 ** GROUP_BITS;

/** Greatest length of an entry: eight bytes of key, one of unit and sign, nineteen of a count below 10^38. */
export const ENTRY_MAX = 28;

/** A bucket read from bytes, and the start of the next one. */
export interface Entry {
  /** Distance from the key before. */
  gap: number;
  value: Decimal;
  end: number;
}

/** Writes an entry at `at`, where `ENTRY_MAX` bytes are free. Returns the start of the next one. */
export function packEntry(bytes: Uint8Array, at: number, gap: number, value: Decimal): number {
  const negative = value < 0n;
  const size = negative ? -value : value;
  let step = 0;
  while (size % STEPS[step]! !== 0n) step += 1;
  const next = packCount(bytes, at, BigInt(gap));
  bytes[next] = step * 2 + (negative ? 1 : 0);
  return packCount(bytes, next + 1, size / STEPS[step]!);
}

/** Reads the entry at `at` into `entry`. */
export function unpackEntry(bytes: Uint8Array, at: number, entry: Entry): void {
  const gap = unpackCount(bytes, at);
  const head = bytes[gap.end]!;
  const count = unpackCount(bytes, gap.end + 1);
  const size = BigInt(count.value) * STEPS[head >> 1]!;
  entry.gap = Number(gap.value);
  entry.value = (head % 2 === 1 ? -size : size) as Decimal;
  entry.end = count.end;
}

/** Returns the start of the entry that ends at `end`: only the last byte of each of its parts is below `GROUP`. */
export function startOfEntry(bytes: Uint8Array, end: number): number {
  const head = startOfCount(bytes, end) - 1;
  return startOfCount(bytes, head);
}

function startOfCount(bytes: Uint8Array, end: number): number {
  let at = end - 1;
  while (bytes[at - 1]! >= GROUP) at -= 1;
  return at;
}

/** Writes a count with seven bits in each byte, the lowest first; the eighth bit is set if more follow. */
function packCount(bytes: Uint8Array, at: number, count: bigint): number {
  let next = at;
  let large = count;
  for (; large > EXACT_MAX; large >>= BigInt(GROUP_BITS)) bytes[next++] = Number(large % BigInt(GROUP)) + GROUP;
  let rest = Number(large);
  for (; rest >= GROUP; rest = Math.floor(rest / GROUP)) bytes[next++] = (rest % GROUP) + GROUP;
  bytes[next++] = rest;
  return next;
}

function unpackCount(bytes: Uint8Array, at: number): { readonly value: number | bigint; readonly end: number } {
  let value = 0;
  let weight = 1;
  let next = at;
  for (; bytes[next]! >= GROUP; next += 1) {
    if (next - at === NUMBER_BITS / GROUP_BITS) return unpackLarge(bytes, at);
    value += (bytes[next]! - GROUP) * weight;
    weight *= GROUP;
  }
  if (next - at === NUMBER_BITS / GROUP_BITS) return unpackLarge(bytes, at);
  return { value: value + bytes[next]! * weight, end: next + 1 };
}

function unpackLarge(bytes: Uint8Array, at: number): { readonly value: bigint; readonly end: number } {
  let value = 0n;
  let shift = 0n;
  let next = at;
  for (; bytes[next]! >= GROUP; next += 1, shift += BigInt(GROUP_BITS)) {
    value += BigInt(bytes[next]! - GROUP) << shift;
  }
  return { value: value + (BigInt(bytes[next]!) << shift), end: next + 1 };
}
