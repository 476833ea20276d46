/** Statements as values, so that several can be sent as one: each costs the store 2 ms before it reads anything. */
import { replacePlaceholders } from '#infra/store/bind-parameters';
import type { Parameter, Store } from '#infra/store/store';

/** A statement, its parameters, and what its rows become. */
export interface Reading<T> {
  readonly sql: string;
  readonly parameters: Readonly<Record<string, Parameter>>;
  /** A method, so that each may say what rows its own statement gives. */
  from(rows: readonly unknown[]): T;
}

type Reader = Pick<Store, 'query'>;
type Results<R extends readonly Reading<unknown>[]> = {
  -readonly [K in keyof R]: R[K] extends Reading<infer T> ? T : never;
};

/** A row of one of the statements as JSON, with its place among that statement's rows. */
interface PackedRow {
  readonly reading: number;
  readonly nth: number;
  readonly row: string;
}

export async function readOne<T>(store: Reader, reading: Reading<T>): Promise<T> {
  return reading.from(await store.query(reading.sql, reading.parameters));
}

/** What `readOne` gives of each, by one statement. */
export async function readTogether<const R extends readonly Reading<unknown>[]>(
  store: Reader,
  readings: R,
): Promise<Results<R>> {
  const parts = readings.map(
    ({ sql }, reading) =>
      `SELECT ${reading} AS reading, toFloat64(rowNumberInAllBlocks()) AS nth, formatRowNoNewline('JSONEachRow', *) AS row
       FROM (${replacePlaceholders(sql, (name, type) => `{${name}_${reading}:${type}}`)})`,
  );
  const parameters = readings.flatMap((reading, at) =>
    Object.entries(reading.parameters).map(([name, value]) => [`${name}_${at}`, value] as const),
  );
  const rows = await store.query<PackedRow>(parts.join(' UNION ALL '), Object.fromEntries(parameters));
  // The parts of a union come in any order.
  rows.sort((a, b) => a.nth - b.nth);
  return readings.map((one, at) =>
    one.from(rows.flatMap(({ reading, row }) => (reading === at ? [JSON.parse(row)] : []))),
  ) as Results<R>;
}
