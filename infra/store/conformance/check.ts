/**
 * What a check of the conformance suite is, and what it works with. The suite uses nothing besides Node, so that
 * `npm run store:check` runs it in production too.
 */
import { type CreatedTable, createTableStatements } from '#schemas/tables/create-table';
import type { Parameter, Store } from '../store.ts';

/** A guarantee of every store. */
export interface StoreCheck {
  /** A sentence with the guarantee. */
  readonly name: string;
  /** Rejects if the store does not give it. */
  readonly run: (subject: Subject) => Promise<void>;
}

export interface TableOptions {
  /** Rows with the same `id` replace each other: the greatest `version` counts. */
  readonly replaces?: boolean;
  readonly retentionDays?: number;
}

/** The store to check. Tables that a check creates stay until its database is dropped. */
export class Subject {
  private readonly open: () => Promise<Store>;
  private opened: Store | null = null;
  private tables = 0;

  /** @param open opens the store on the same data each time. */
  constructor(open: () => Promise<Store>) {
    this.open = open;
  }

  get store(): Store {
    if (!this.opened) throw new Error('the store is not open');
    return this.opened;
  }

  /** Opens the store, after it was closed. */
  async begin(): Promise<void> {
    this.opened = await this.open();
  }

  async end(): Promise<void> {
    await this.opened?.close();
    this.opened = null;
  }

  /** Creates a table with these columns, by name, and `id`, by which it is sorted. Returns its name. */
  async table(columns: Readonly<Record<string, string>>, options: TableOptions = {}): Promise<string> {
    this.tables += 1;
    const name = `t${this.tables}`;
    await createIn(this.store, name, columns, options);
    return name;
  }

  /** The column `value` of a query. */
  async values(sql: string, parameters: Readonly<Record<string, Parameter>> = {}): Promise<unknown[]> {
    const rows = await this.store.query<{ value: unknown }>(sql, parameters);
    return rows.map((row) => row.value);
  }

  /** The column `value` of a table, in the order of `id`. */
  valuesOf(table: string): Promise<unknown[]> {
    return this.values(`SELECT value FROM ${table} ORDER BY id`);
  }

  /** Inserts values into a table with a column of a type; they get the numbers from 0 on as `id`. */
  async insertValues(type: string, values: readonly unknown[]): Promise<string> {
    const table = await this.table({ value: type });
    await this.store.insert(
      table,
      values.map((value, id) => ({ id, value })),
    );
    return table;
  }

  /** Inserts values into a column of a type, and reads them. */
  async roundTrip(type: string, values: readonly unknown[]): Promise<unknown[]> {
    return this.valuesOf(await this.insertValues(type, values));
  }
}

/** Creates a table as a start creates those of the service, which on a cluster are two. */
export async function createIn(
  store: Store,
  name: string,
  columns: Readonly<Record<string, string>>,
  { replaces = false, retentionDays }: TableOptions = {},
): Promise<void> {
  const table: CreatedTable = {
    name,
    columns: Object.entries({ id: 'UInt32', ...columns }).map(([column, type]) => ({
      name: column,
      type,
      comment: '',
    })),
    orderBy: ['id'],
    shardBy: ['id'],
    keepsEveryRow: !replaces,
    ...(retentionDays === undefined ? {} : { retentionDays }),
  };
  for (const statement of createTableStatements(table, store.cluster)) await store.command(statement);
}
