/** Length of a part of the text, roughly. */
const PART_LENGTH = 65_536;

/** A list in a response whose rows are written as JSON text: thousands of rows need not become objects first. */
export class JsonRows {
  /** Number of rows. */
  readonly length: number;
  /** The most bytes of its JSON text. */
  readonly bytesMax: number;
  /** Writes its JSON text into a body from a place on, and returns the place behind it. */
  readonly writeTo: (body: Buffer, at: number) => number;

  constructor(length: number, bytesMax: number, writeTo: (body: Buffer, at: number) => number) {
    this.length = length;
    this.bytesMax = bytesMax;
    this.writeTo = writeTo;
  }

  /** @param textOf the JSON text of a row. It becomes bytes with a few others, so that not all texts are in memory. */
  static of<T>(rows: readonly T[], textOf: (row: T) => string): JsonRows {
    const parts: Buffer[] = [];
    let part = '[';
    for (const [nth, row] of rows.entries()) {
      if (nth > 0) part += ',';
      part += textOf(row);
      if (part.length < PART_LENGTH) continue;
      parts.push(Buffer.from(part));
      part = '';
    }
    parts.push(Buffer.from(`${part}]`));
    return new JsonRows(rows.length, bytesOf(parts), (body, at) => writeParts(parts, body, at));
  }
}

/** A body, each field of which may be `JsonRows`. */
export type Encodable<R> = R | { readonly [K in keyof R]: R[K] | JsonRows };

/** The JSON text of a body. Rows are written straight into it: a large body that is copied is garbage of that size. */
export function jsonOf(body: unknown): Buffer {
  if (typeof body !== 'object' || body === null || !Object.values(body).some((value) => value instanceof JsonRows))
    return Buffer.from(JSON.stringify(body));
  const fields = Object.entries(body).filter(([, value]) => value !== undefined);
  const parts = fields.flatMap(([name, value], nth) => {
    const start = Buffer.from(`${nth === 0 ? '{' : ','}${JSON.stringify(name)}:`);
    return [start, value instanceof JsonRows ? value : Buffer.from(JSON.stringify(value))];
  });
  parts.push(Buffer.from('}'));
  const json = Buffer.allocUnsafeSlow(parts.reduce((sum, part) => sum + bytesMaxOf(part), 0));
  let size = 0;
  for (const part of parts) size = part instanceof JsonRows ? part.writeTo(json, size) : writeParts([part], json, size);
  return json.subarray(0, size);
}

function bytesMaxOf(part: JsonRows | Buffer): number {
  return part instanceof JsonRows ? part.bytesMax : part.length;
}

function bytesOf(parts: readonly Buffer[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}

/** Copies parts into a body from a place on, and returns the place behind them. */
function writeParts(parts: readonly Buffer[], body: Buffer, at: number): number {
  return parts.reduce((place, part) => place + part.copy(body, place), at);
}
