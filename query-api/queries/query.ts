/**
 * Queries as values, so that several can be sent as one statement: each statement costs 2 ms before it reads anything.
 */
import { replacePlaceholders } from '#infra/store/bind-parameters';
import type { Parameter, Store } from '#infra/store/store';

/** An SQL statement with its parameters and the parser of its rows. */
export interface Query<T> {
  readonly sql: string;
  readonly parameters: Readonly<Record<string, Parameter>>;
  /** Declared as a method, so that each query can narrow the type of its own rows. */
  parse(rows: readonly unknown[]): T;
}

type Reader = Pick<Store, 'query'>;
type Results<R extends readonly Query<unknown>[]> = {
  -readonly [K in keyof R]: R[K] extends Query<infer T> ? T : never;
};

/** A row of one of the queries as JSON, with its index among the rows of that query. */
interface PackedRow {
  readonly query: number;
  readonly nth: number;
  readonly row: string;
}

/** Runs one query. */
export async function query<T>(store: Reader, { sql, parameters, parse }: Query<T>): Promise<T> {
  return parse(await store.query(sql, parameters));
}

/** Runs several queries as one statement, with the same results as `query`. */
export async function queryBatch<const R extends readonly Query<unknown>[]>(
  store: Reader,
  queries: R,
): Promise<Results<R>> {
  const parts = queries.map(
    ({ sql }, index) =>
      `SELECT ${index} AS query, toFloat64(rowNumberInAllBlocks()) AS nth, formatRowNoNewline('JSONEachRow', *) AS row
       FROM (${replacePlaceholders(sql, (name, type) => `{${name}_${index}:${type}}`)})`,
  );
  const parameters = queries.flatMap(({ parameters }, at) =>
    Object.entries(parameters).map(([name, value]) => [`${name}_${at}`, value] as const),
  );
  const rows = await store.query<PackedRow>(parts.join(' UNION ALL '), Object.fromEntries(parameters));
  // The parts of a union are returned in any order.
  rows.sort((a, b) => a.nth - b.nth);
  return queries.map((one, at) =>
    one.parse(rows.flatMap(({ query, row }) => (query === at ? [JSON.parse(row)] : []))),
  ) as Results<R>;
}
