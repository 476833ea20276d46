/** The engine settings of both adapters. */
export const STORE_SETTINGS = {
  // Without these two the engine writes JSON numbers, which JavaScript rounds.
  output_format_json_quote_decimals: 1,
  output_format_json_quote_64bit_integers: 1,
  // A null in a column that is not nullable, and an unknown column, are errors, not defaults.
  input_format_null_as_default: 0,
  input_format_skip_unknown_fields: 0,
  // An insert is acknowledged once it is stored, whatever the server's profile says.
  async_insert: 0,
  // Rows that replace each other are in the same partition (it follows from the sorting key), so partitions merge
  // independently.
  do_not_merge_across_partitions_select_final: 1,
} as const;

/** The further settings of a server in a cluster. */
export const CLUSTER_SETTINGS = {
  // An insert is acknowledged once the shards have stored it, not when it waits in the files of one server.
  distributed_foreground_insert: 1,
  // Reads go to the replica that inserts go to, so that they see what was acknowledged.
  load_balancing: 'in_order',
  // A batch that equals an earlier one is inserted again: after a TRUNCATE its rows may be missing. Rows that are equal
  // replace each other anyway.
  insert_deduplicate: 0,
  // Changes are made on every replica when a statement resolves.
  alter_sync: '2',
  // The inner table of a join is read once, for all shards.
  distributed_product_mode: 'global',
} as const;

/** Time limits of calls, waiting included. */
export interface StoreTimeouts {
  readonly queryMs: number;
  readonly insertMs: number;
  readonly commandMs: number;
  /** The engine ends a call at its limit; the caller waits this much longer before it gives up. */
  readonly graceMs: number;
}

export const STORE_TIMEOUTS: StoreTimeouts = { queryMs: 60_000, insertMs: 60_000, commandMs: 300_000, graceMs: 5_000 };

/** The time limit as an engine setting. */
export function engineTimeLimit(timeoutMs: number) {
  return { max_execution_time: Math.max(1, Math.ceil(timeoutMs / 1000)) };
}

const IDENTIFIER = /^[A-Za-z_]\w{0,127}$/;

/** True if a name can be used in SQL without quoting. */
export function isIdentifier(name: string): boolean {
  return IDENTIFIER.test(name);
}
