/**
 * Rows in one text, from which their JSON is written without an object or a text for each value. Thousands of rows as
 * objects cost milliseconds and megabytes of garbage for each response, and collecting it delays other requests too.
 */
import { decimalJson, isOwnJson } from '#schemas/http/scalars';
import { JsonRows } from '../http/json-rows.ts';

/** Precedes each row. */
export const ROW_START = ';';
/** Follows each field. */
export const FIELD_END = ' ';
const FIELD_END_CODE = FIELD_END.charCodeAt(0);
const ZERO_CODE = '0'.charCodeAt(0);
const [OPENING, CLOSING] = Buffer.from('[]');

export class PackedRows {
  readonly length: number;
  private readonly text: string;
  /** The part of the text with these rows. */
  private readonly from: number;
  private readonly until: number;

  constructor(text: string, length: number, from = 0, until = text.length) {
    this.text = text;
    this.length = length;
    this.from = from;
    this.until = until;
  }

  /** The fields of the first row; undefined for none. */
  get first(): readonly string[] | undefined {
    return this.length === 0 ? undefined : this.fieldsAt(this.from);
  }

  get last(): readonly string[] | undefined {
    return this.length === 0 ? undefined : this.fieldsAt(this.text.lastIndexOf(ROW_START, this.until - 1));
  }

  /** The last row that begins with a field. */
  find(field: string): readonly string[] | undefined {
    if (this.length === 0) return undefined;
    const place = this.text.lastIndexOf(ROW_START + field + FIELD_END, this.until - 1);
    return place < this.from ? undefined : this.fieldsAt(place);
  }

  /** The rows from one number to another, exclusive. */
  slice(from: number, until: number): PackedRows {
    const end = Math.min(until, this.length);
    const start = Math.min(from, end);
    const startsAt = this.placeOf(start, this.from);
    const endsAt = end === this.length ? this.until : this.placeOf(end - start, startsAt);
    return new PackedRows(this.text, end - start, startsAt, endsAt);
  }

  /** The fields of each row. */
  toArray(): readonly (readonly string[])[] {
    const [, ...rows] = this.text.slice(this.from, this.until).split(ROW_START);
    return rows.map(fieldsOf);
  }

  /**
   * @param addedBytes the most bytes that `writeRow` adds to the fields of a row.
   * @param writeRow writes a row, beginning with a comma.
   */
  toJson(addedBytes: number, writeRow: (json: JsonWriter) => void): JsonRows {
    if (this.length === 0) return JsonRows.of([], String);
    // A decimal is never shorter than its JSON.
    const bytesMax = this.until - this.from + this.length * addedBytes + 1;
    return new JsonRows(this.length, bytesMax, (body, at) => {
      const json = new JsonWriter(this.text, body, at);
      for (let place = this.from; place < this.until; place = this.nextPlace(place)) {
        json.begin(place + 1);
        writeRow(json);
      }
      return json.end();
    });
  }

  /** The place of the nth row after another one in the text. */
  private placeOf(nth: number, after: number): number {
    let place = after;
    for (let passed = 0; passed < nth; passed += 1) place = this.nextPlace(place);
    return place;
  }

  private nextPlace(place: number): number {
    const next = this.text.indexOf(ROW_START, place + 1);
    return next === -1 ? this.until : next;
  }

  private fieldsAt(place: number): readonly string[] {
    return fieldsOf(this.text.slice(place + 1, this.nextPlace(place)));
  }
}

function fieldsOf(row: string): readonly string[] {
  return row.split(FIELD_END).slice(0, -1);
}

/** Writes ASCII. Its loops are several times faster than writing thousands of short texts to a buffer one by one. */
export class JsonWriter {
  private readonly text: string;
  private readonly bytes: Buffer;
  /** Where the list begins in the bytes, and where what is written next does. */
  private readonly start: number;
  private size: number;
  /** Where the next field begins in the text. */
  private at = 0;

  constructor(text: string, bytes: Buffer, start: number) {
    this.text = text;
    this.bytes = bytes;
    this.start = start;
    this.size = start;
  }

  begin(at: number): void {
    this.at = at;
  }

  write(added: Buffer): void {
    for (let nth = 0; nth < added.length; nth += 1) this.bytes[this.size + nth] = added[nth]!;
    this.size += added.length;
  }

  /** Reads the next field, an integer. */
  readInteger(): number {
    let integer = 0;
    for (let code = this.text.charCodeAt(this.at); code !== FIELD_END_CODE; code = this.text.charCodeAt(this.at)) {
      integer = integer * 10 + code - ZERO_CODE;
      this.at += 1;
    }
    this.at += 1;
    return integer;
  }

  /** Writes the next field, a canonical decimal. */
  writeDecimal(): void {
    const { text, at: from, size: start } = this;
    for (let code = text.charCodeAt(this.at); code !== FIELD_END_CODE; code = text.charCodeAt(this.at)) {
      this.bytes[this.size] = code;
      this.size += 1;
      this.at += 1;
    }
    if (!isOwnJson(text, from, this.at))
      this.size = start + this.bytes.write(decimalJson(text.slice(from, this.at)), start, 'latin1');
    this.at += 1;
  }

  /** Completes the list, and returns the place behind it: the comma before its first row becomes the bracket. */
  end(): number {
    this.bytes[this.start] = OPENING!;
    this.bytes[this.size] = CLOSING!;
    return this.size + 1;
  }
}
