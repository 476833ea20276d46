/**
 * The columnar-store port: `@clickhouse/client` with the same SQL on both sides, over chDB in the process
 * (`embedded.ts`) or over HTTP to a server (`server.ts`). The conformance suite shows what may be relied on.
 */

/** A row to insert: decimals as canonical text, times as unix ms (DateTime64(3) columns take them as numbers). */
export type Row = Readonly<Record<string, unknown>>;

/** A value for a `{name:Type}` placeholder: decimals and times as text or whole unix ms, as the type wants them. */
export type Parameter = string | number | bigint | boolean | null | readonly Parameter[];

export interface Store {
  /**
   * Runs a query and gives its rows; decimals and 64-bit integers come back as text, exactly. Times are asked for with
   * `unixMs('column')` (see `unix-ms.ts`), which gives them as numbers. `{name:Type}` stands for a parameter.
   */
  query<T>(sql: string, parameters?: Readonly<Record<string, Parameter>>): Promise<T[]>;
  /**
   * Inserts rows that all have the columns of the first; when it resolves they survive the death of the process.
   * `store_rejected` means that a row is at fault and none was taken.
   */
  insert(table: string, rows: readonly Row[]): Promise<void>;
  /** Runs a statement that gives no rows. */
  command(sql: string): Promise<void>;
  /**
   * The same store under another database, made if missing: for `replay --verify`. It ends with the store that it came
   * from.
   */
  inDatabase(database: string): Promise<Store>;
  readonly database: string;
  /** Waits for what is running, then releases everything. Calls after it reject with `store_closed`. */
  close(): Promise<void>;
}

/** Why a store call failed. */
export type StoreErrorCode =
  /** The store cannot be reached, or is too busy, now. */
  | 'store_unavailable'
  /** No room on its disk. Goes away when there is room. */
  | 'store_full'
  /** The statement or a row is at fault. */
  | 'store_rejected'
  /** It refuses everybody who comes like this: credentials, rights, a missing table. Goes away when an operator mends it. */
  | 'store_misconfigured'
  /** Another process, or this one, holds the data directory. */
  | 'store_locked'
  /** The store was closed. */
  | 'store_closed';

/** Why a store call failed, and whether trying again can help. */
export class StoreError extends Error {
  override name = 'StoreError';
  readonly code: StoreErrorCode;
  readonly canRetry: boolean;
  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.canRetry = code === 'store_unavailable' || code === 'store_full';
  }
}
