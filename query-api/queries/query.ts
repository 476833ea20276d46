/**
 * Queries as values, so that they are measured by name, and several can be sent as one statement: each statement costs
 * 2 ms before it reads anything.
 */
import { replacePlaceholders } from '#infra/store/bind-parameters';
import type { Parameter } from '#infra/store/store';

/** An SQL statement with its parameters and the parser of its rows. */
export interface Query<T> {
  /** Names the query in metrics and in the log. */
  readonly name: string;
  /** `{name:Type}` is a placeholder for a parameter. */
  readonly sql: string;
  readonly parameters: Readonly<Record<string, Parameter>>;
  /** Declared as a method, so that each query can narrow the type of its own rows. */
  parse(rows: readonly unknown[]): T;
}

/** What runs statements: a store, or `measureQueries` of one. */
export interface Reader {
  query<T>(sql: string, parameters?: Readonly<Record<string, Parameter>>, name?: string): Promise<T[]>;
}

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
export async function query<T>(reader: Reader, { sql, parameters, name, parse }: Query<T>): Promise<T> {
  return parse(await reader.query(sql, parameters, name));
}

/** Runs several queries as one statement, with the same results as `query`. */
export async function queryBatch<const R extends readonly Query<unknown>[]>(
  reader: Reader,
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
  // Each once: there may be any number of queries of one name.
  const names = [...new Set(queries.map(({ name }) => name))].join('+');
  const rows = await reader.query<PackedRow>(parts.join(' UNION ALL '), Object.fromEntries(parameters), names);
  // The parts of a union are returned in any order.
  rows.sort((a, b) => a.nth - b.nth);
  return queries.map((one, at) =>
    one.parse(rows.flatMap(({ query, row }) => (query === at ? [JSON.parse(row)] : []))),
  ) as Results<R>;
}
