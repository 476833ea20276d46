/**
 * Types of avsc that are faster than its own: avsc copies bytes into memory that it clears first, and calls the engine
 * for each text that it reads or writes, however short. The levels of a book are eighty short texts.
 */
import avsc, { type Schema, type Type } from 'avsc';

/** The reader of avsc: encoded bytes and the position of the next value. It is valid while that is not behind them. */
interface Tap {
  readonly buf: Buffer;
  pos: number;
  readLong(): number;
  readString(): string;
}

/** What avsc calls to write a value. It throws for one of another type. */
interface Writer {
  _write(tap: Tap, value: unknown): void;
}

const ANY_TEXT = new avsc.types.StringType() as unknown as Writer;
const UNIT_MAX = 0x7f;
/** The length of a text below this one is one byte. */
const ONE_BYTE_LENGTHS = 64;

class BytesView extends avsc.types.BytesType {
  /** Returns a view of the record, which must not be written to. */
  _read(tap: Tap): Buffer | undefined {
    const length = tap.readLong();
    const start = tap.pos;
    tap.pos = length < 0 ? tap.buf.length + 1 : start + length;
    return tap.pos > tap.buf.length ? undefined : tap.buf.subarray(start, tap.pos);
  }
}

class ShortText extends avsc.types.StringType {
  _read(tap: Tap): string {
    const { buf, pos } = tap;
    // The length of a short text is one byte: twice the length, and odd for a negative one, which is malformed.
    const head = buf[pos]!;
    const length = head >> 1;
    const isComplete = (head & 1) === 0 && pos + length < buf.length;
    const text = isComplete ? asciiText(buf, pos + 1, length) : null;
    if (text === null) return tap.readString();
    tap.pos = pos + 1 + length;
    return text;
  }

  _write(tap: Tap, value: unknown): void {
    const isShort = typeof value === 'string' && value.length < ONE_BYTE_LENGTHS;
    if (!isShort || !writeAscii(tap, value)) ANY_TEXT._write(tap, value);
  }
}

const BYTES = new BytesView();
const TEXT = new ShortText();

/** The hook with which avsc uses these types. */
export function fasterType(schema: Schema): Type | undefined {
  if (schema === 'bytes') return BYTES;
  return schema === 'string' ? TEXT : undefined;
}

/** Writes a short text; returns false, and writes nothing that counts, for one with other characters or too little room. */
function writeAscii(tap: Tap, text: string): boolean {
  const { buf, pos } = tap;
  const { length } = text;
  if (pos + length >= buf.length) return false;
  for (let at = 0; at < length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit > UNIT_MAX) return false;
    buf[pos + 1 + at] = unit;
  }
  buf[pos] = length << 1;
  tap.pos = pos + 1 + length;
  return true;
}

/** Returns 1 to 8 ASCII characters as text; null for anything else. */
function asciiText(bytes: Buffer, at: number, length: number): string | null {
  if (length === 0 || length > 8) return null;
  const { fromCharCode } = String;
  const a = bytes[at]!;
  if (length === 1) return a > UNIT_MAX ? null : fromCharCode(a);
  const b = bytes[at + 1]!;
  if (length === 2) return (a | b) > UNIT_MAX ? null : fromCharCode(a, b);
  const c = bytes[at + 2]!;
  if (length === 3) return (a | b | c) > UNIT_MAX ? null : fromCharCode(a, b, c);
  const d = bytes[at + 3]!;
  const four = a | b | c | d;
  if (length === 4) return four > UNIT_MAX ? null : fromCharCode(a, b, c, d);
  const e = bytes[at + 4]!;
  if (length === 5) return (four | e) > UNIT_MAX ? null : fromCharCode(a, b, c, d, e);
  const f = bytes[at + 5]!;
  if (length === 6) return (four | e | f) > UNIT_MAX ? null : fromCharCode(a, b, c, d, e, f);
  const g = bytes[at + 6]!;
  if (length === 7) return (four | e | f | g) > UNIT_MAX ? null : fromCharCode(a, b, c, d, e, f, g);
  const h = bytes[at + 7]!;
  return (four | e | f | g | h) > UNIT_MAX ? null : fromCharCode(a, b, c, d, e, f, g, h);
}
