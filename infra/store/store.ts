/**
 * The columnar-store port: `@clickhouse/client` with the same SQL on both sides, over chDB in the process
 * (`embedded.ts`) or over HTTP to a server (`server.ts`). The conformance suite shows what may be relied on.
 */

/** A row to insert: decimals as canonical text, times as unix ms (DateTime64(3) columns take them as numbers). */
export type Row = Readonly<Record<string, unknown>>;

export interface Store {
  /** Runs a query and gives its rows; decimals and 64-bit integers come back as text, exactly. */
  query<T>(sql: string, parameters?: Readonly<Record<string, unknown>>): Promise<T[]>;
  /** Inserts rows; when it resolves they survive the death of the process. */
  insert(table: string, rows: readonly Row[]): Promise<void>;
  /** Runs a statement that gives no rows. */
  command(sql: string): Promise<void>;
  /** The same store under another database, made if missing: for `replay --verify`. */
  inDatabase(database: string): Promise<Store>;
  readonly database: string;
  close(): Promise<void>;
}

/** Why a store call failed, and whether trying again can help. */
export class StoreError extends Error {
  override name = 'StoreError';
  readonly code: 'store_unavailable' | 'store_full' | 'store_rejected' | 'store_locked';
  readonly canRetry: boolean;
  constructor(code: StoreError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.canRetry = code === 'store_unavailable' || code === 'store_full';
  }
}
