/** Readers of JSON-RPC hex and of ABI words at fixed offsets: nearly all types in the events read here are static. */
import { quoteJson } from '#schemas/domain/json-fields';
import { MalformedError } from '../../shared/malformed.ts';

const QUANTITY = /^0x[0-9a-f]{1,13}$/i;
const HASH = /^0x[0-9a-f]{64}$/i;
const ADDRESS = /^0x[0-9a-f]{40}$/i;
const PADDED_ADDRESS = /^0x0{24}[0-9a-f]{40}$/i;
const BYTES = /^0x(?:[0-9a-f]{2})*$/i;
const WORD_DIGITS = 64;

/** Reads a JSON-RPC quantity below 2^52. Throws `MalformedError` with `code`, naming `field`. */
export function quantity(value: unknown, field: string, code: string): number {
  if (typeof value !== 'string' || !QUANTITY.test(value))
    throw new MalformedError(code, `${field}: ${quoteJson(value)}`);
  return Number.parseInt(value, 16);
}

/** Reads 32 bytes of hex and returns them in lower case. Throws `MalformedError`. */
export function hash(value: unknown, field: string, code: string): string {
  if (typeof value !== 'string' || !HASH.test(value)) throw new MalformedError(code, `${field}: ${quoteJson(value)}`);
  return value.toLowerCase();
}

/** Reads 20 bytes of hex and returns them in lower case. Throws `MalformedError`. */
export function address(value: unknown, field: string, code: string): string {
  if (typeof value !== 'string' || !ADDRESS.test(value))
    throw new MalformedError(code, `${field}: ${quoteJson(value)}`);
  return value.toLowerCase();
}

/** Reads the address in an indexed topic: 32 bytes whose first 12 are zero. Throws `MalformedError`. */
export function topicAddress(value: unknown, field: string, code: string): string {
  if (typeof value !== 'string' || !PADDED_ADDRESS.test(value)) {
    throw new MalformedError(code, `${field}: ${quoteJson(value)}`);
  }
  return `0x${value.slice(26).toLowerCase()}`;
}

/** Checks that `value` is hex of at least `words` ABI words, to be read with `word`. Throws `MalformedError`. */
export function abiData(value: unknown, words: number, code: string): string {
  if (typeof value !== 'string' || !BYTES.test(value)) throw new MalformedError(code, `data: ${quoteJson(value)}`);
  if (value.length < 2 + words * WORD_DIGITS) {
    throw new MalformedError(code, `data: ${(value.length - 2) / 2} bytes, expected at least ${words * 32}`);
  }
  return value;
}

/** Reads the unsigned integer at word `index` of checked ABI data. */
export function word(data: string, index: number): bigint {
  const at = 2 + index * WORD_DIGITS;
  return BigInt(`0x${data.slice(at, at + WORD_DIGITS)}`);
}

/** Reads the signed integer (two's complement) at word `index` of checked ABI data. */
export function signedWord(data: string, index: number): bigint {
  return BigInt.asIntN(WORD_DIGITS * 4, word(data, index));
}

/** Reads the `bytes` at byte `offset` of checked ABI data, as hex. Throws `MalformedError` if the data is too short. */
export function abiBytes(data: string, offset: bigint, field: string, code: string): `0x${string}` {
  const total = BigInt((data.length - 2) / 2);
  const start = offset + 32n;
  if (offset % 32n !== 0n || start > total) throw new MalformedError(code, `${field}: starts at byte ${offset}`);
  const length = word(data, Number(offset / 32n));
  if (start + length > total)
    throw new MalformedError(code, `${field}: ${length} bytes, but ${total - start} are left`);
  const at = 2 + Number(start) * 2;
  return `0x${data.slice(at, at + Number(length) * 2).toLowerCase()}`;
}
