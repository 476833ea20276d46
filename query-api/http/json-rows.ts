/** A list in a response whose rows are JSON text already: thousands of rows need not become objects first. */
export class JsonRows {
  readonly text: string;
  /** Number of rows. */
  readonly length: number;

  /** @param rows the JSON text of each row. */
  constructor(rows: readonly string[]) {
    this.text = `[${rows.join(',')}]`;
    this.length = rows.length;
  }
}

/** A body, each field of which may be `JsonRows`. */
export type Encodable<R> = R | { readonly [K in keyof R]: R[K] | JsonRows };

/** The JSON text of a body. */
export function jsonOf(body: unknown): string {
  if (typeof body !== 'object' || body === null || !Object.values(body).some((value) => value instanceof JsonRows))
    return JSON.stringify(body);
  const fields = Object.entries(body).flatMap(([name, value]) => {
    const text: string | undefined = value instanceof JsonRows ? value.text : JSON.stringify(value);
    return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`];
  });
  return `{${fields.join(',')}}`;
}
