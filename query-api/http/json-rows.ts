/** Length of a part of the text, roughly. */
const PART_LENGTH = 65_536;

/** A list in a response whose rows are written as JSON text: thousands of rows need not become objects first. */
export class JsonRows {
  /** The JSON text of the list, in parts. */
  readonly parts: readonly Buffer[];
  /** Number of rows. */
  readonly length: number;

  private constructor(parts: readonly Buffer[], length: number) {
    this.parts = parts;
    this.length = length;
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
    return new JsonRows([...parts, Buffer.from(`${part}]`)], rows.length);
  }

  /** @param list the JSON text of the list. */
  static encoded(list: Buffer, length: number): JsonRows {
    return new JsonRows([list], length);
  }
}

/** A body, each field of which may be `JsonRows`. */
export type Encodable<R> = R | { readonly [K in keyof R]: R[K] | JsonRows };

/** The JSON text of a body. */
export function jsonOf(body: unknown): Buffer {
  if (typeof body !== 'object' || body === null || !Object.values(body).some((value) => value instanceof JsonRows))
    return Buffer.from(JSON.stringify(body));
  const fields = Object.entries(body).filter(([, value]) => value !== undefined);
  const parts = fields.flatMap(([name, value], nth) => {
    const start = Buffer.from(`${nth === 0 ? '{' : ','}${JSON.stringify(name)}:`);
    return [start, ...(value instanceof JsonRows ? value.parts : [Buffer.from(JSON.stringify(value))])];
  });
  return Buffer.concat([...parts, Buffer.from('}')]);
}
