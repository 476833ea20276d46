/** The LMDB environment under the log: how it is opened, and how its transactions and errors are told. */
import { join } from 'node:path';
import { type Database, type DatabaseOptions, open, type RootDatabase, TransactionFlags } from 'lmdb';
import { LogError } from '../log.ts';
import { hasRoom } from './disk-space.ts';
import { OFFSET_KEYS } from './offset-keys.ts';

/** Named databases of one environment: one for each partition of each topic, with room for topics to come. */
const DATABASES_MAX = 4_096;
/**
 * Does not wait for the disk at the end of a transaction: what was written outlives the process as it is. What outlives
 * a loss of power is the business of `sync-points.ts`.
 */
const NO_WAIT = TransactionFlags.ABORTABLE | TransactionFlags.SYNCHRONOUS_COMMIT | TransactionFlags.NO_SYNC_FLUSH;

/**
 * Blocks as they are packed. LMDB hands each over in memory that it uses again for the next one, so it is copied: into
 * Node's pool, where a copy takes half as long as in a buffer of its own, which is what lmdb makes by itself.
 */
const AS_PACKED = {
  encode: (value: Buffer): Buffer => value,
  decode(bytes: Buffer): Buffer {
    const copy = Buffer.allocUnsafe(bytes.length);
    // lmdb shortens `length` only, not what the typed array itself holds.
    copy.set(new Uint8Array(bytes.buffer, bytes.byteOffset, copy.length));
    return copy;
  },
};

/** `keyEncoder` and the form of `encoder` are missing in the types of a single database. */
const PARTITION_OPTIONS: DatabaseOptions & {
  readonly keyEncoder: typeof OFFSET_KEYS;
  readonly encoder: typeof AS_PACKED;
} = {
  encoding: 'binary',
  keyEncoder: OFFSET_KEYS,
  encoder: AS_PACKED,
};

/** Blocks of records of one partition (`block-layout.ts`), by the offset of the first. */
export type PartitionDb = Omit<Database<Buffer, number>, 'putSync'> & {
  /** False when the put was refused, as an append of a key that is not the highest; the types of lmdb say nothing of it. */
  putSync(offset: number, block: Buffer, options?: { readonly append?: true }): boolean;
};

/** Where LMDB keeps the data in a log folder. */
export const DATA_FILE = 'data.mdb';

export interface LogEnvironment {
  readonly root: RootDatabase<Buffer, Buffer>;
  readonly canWrite: boolean;
  /** The database of one partition; null when it does not exist and nothing may be written. */
  partition(name: string): PartitionDb | null;
  /** A database of JSON values; null when it does not exist and nothing may be written. */
  json<T>(name: string): Database<T, string> | null;
  /** All of `work` or nothing; it may be run several times. Throws a `LogError` when the disk does not take it. */
  transact<T>(work: () => T): T;
  /** Number of the newest transaction, of whatever process. */
  newestTransaction(): number;
}

/**
 * LMDB's number for a transaction that it gave up. It gives one up at the commit, all of it and without a fault of ours,
 * when what it remembers of free pages does not fit what it finds; after that it reads them anew, so the next try succeeds.
 */
const GIVEN_UP = -30_782;
const TRIES = 5;

/** Runs a transaction, and again when LMDB gave it up. `work` changes nothing but the databases. */
export function transactOn<T>(root: Pick<RootDatabase, 'transactionSync'>, path: string, work: () => T): T {
  for (let tried = 1; ; tried += 1) {
    try {
      return root.transactionSync(work, NO_WAIT);
    } catch (error) {
      if (tried === TRIES || codeOf(error) !== GIVEN_UP) throw toLogError(error, path);
    }
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : null;
}

/** Opens the environment in a folder that exists. */
export function openEnvironment(path: string, readOnly: boolean): LogEnvironment {
  const root = open({
    path,
    readOnly,
    maxDbs: DATABASES_MAX,
    keyEncoding: 'binary',
    encoding: 'binary',
    // A writable map turns a full disk into a bus error; with plain writes it is an error of the transaction.
    useWritemap: false,
    // Its flush follows each commit inside the same call, which would hold up the event loop for as long as it takes.
    overlappingSync: false,
  }) as RootDatabase<Buffer, Buffer>;
  return {
    root,
    canWrite: !readOnly,
    partition: (name) => (root.openDB(name, PARTITION_OPTIONS) as unknown as PartitionDb) ?? null,
    json: <T>(name: string) => (root.openDB({ name, encoding: 'json' }) as Database<T, string>) ?? null,
    transact: (work) => transactOn(root, path, work),
    newestTransaction: () => (root.getStats() as { lastTxnId: number }).lastTxnId,
  };
}

/** LMDB's error as the port's; what is no error of the disk stays as it is. */
function toLogError(error: unknown, path: string): unknown {
  const text = error instanceof Error ? error.message : String(error);
  if (codeOf(error) === GIVEN_UP)
    return new LogError('log_unavailable', `the log at ${path} gave up a transaction ${TRIES} times`, { cause: error });
  const full = new LogError('log_full', `the log has no room left on the disk of ${path}`, { cause: error });
  if (/MDB_MAP_FULL|No space left|Disk quota/i.test(text)) return full;
  // LMDB tells a write that the disk cut short as an I/O error.
  if (/Input\/output error/i.test(text))
    return hasRoom(join(path, DATA_FILE))
      ? new LogError('log_unavailable', `the disk of ${path} fails`, { cause: error })
      : full;
  return error;
}
