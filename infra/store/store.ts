/**
 * The columnar-store port: `@clickhouse/client` with the same SQL on both sides, over chDB in the process
 * (`embedded.ts`) or over HTTP to a server (`server.ts`). The conformance suite defines its guarantees.
 */

/** A row to insert: decimals as canonical text, times as unix ms (DateTime64(3) columns take them as numbers). */
export type Row = Readonly<Record<string, unknown>>;

/** A value for a `{name:Type}` placeholder: decimals and times as text or unix ms, as the type requires. */
export type Parameter = string | number | bigint | boolean | null | readonly Parameter[];

export interface Store {
  /**
   * Runs a query and returns its rows; decimals and 64-bit integers are returned as exact text. Times are selected with
   * `unixMs('column')` (see `unix-ms.ts`), which returns them as numbers. `{name:Type}` is a placeholder for a
   * parameter.
   */
  query<T>(sql: string, parameters?: Readonly<Record<string, Parameter>>): Promise<T[]>;
  /**
   * Inserts rows that all have the columns of the first; when it resolves they survive a crash of the process.
   * `store_rejected` means that a row is invalid and none was inserted.
   */
  insert(table: string, rows: readonly Row[]): Promise<void>;
  /** Runs a statement that returns no rows. */
  command(sql: string): Promise<void>;
  /**
   * The same store with another database, created if missing: for `replay --verify`. Closing the original store closes
   * it.
   */
  inDatabase(database: string): Promise<Store>;
  readonly database: string;
  /** The cluster of ClickHouse that holds the tables; null for a single server and in the process. */
  readonly cluster: string | null;
  /** Waits for running calls, then releases everything. Later calls reject with `store_closed`. */
  close(): Promise<void>;
}

/** Why a store call failed. */
export type StoreErrorCode =
  /** The store is unreachable or too busy. Transient. */
  | 'store_unavailable'
  /** Its disk is full. Transient: it recovers when there is room. */
  | 'store_full'
  /** The statement or a row is invalid. */
  | 'store_rejected'
  /**
   * It refuses every call with this configuration: credentials, rights, a missing table. An operator has to correct it.
   */
  | 'store_misconfigured'
  /** Another process, or this one, has the data directory open. */
  | 'store_locked'
  /** The store was closed. */
  | 'store_closed';

/** Why a store call failed, and whether a retry can help. */
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
