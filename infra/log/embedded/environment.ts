/** Opens the LMDB environment of the log, runs its transactions and maps its errors. */
import { join } from 'node:path';
import { type Database, open, type RootDatabase, TransactionFlags } from 'lmdb';
import { LogError } from '../log.ts';
import { BlockTree } from './block-tree.ts';
import { hasRoom } from './disk-space.ts';

/** Maximum number of named databases: one for each partition of each topic, with reserves for new topics. */
const DATABASES_MAX = 4_096;
/**
 * Commits without waiting for the disk: writes survive a crash of the process. `sync-points.ts` handles a loss of
 * power.
 */
const NO_WAIT = TransactionFlags.ABORTABLE | TransactionFlags.SYNCHRONOUS_COMMIT | TransactionFlags.NO_SYNC_FLUSH;

/** File in which LMDB stores the data of a log folder. */
export const DATA_FILE = 'data.mdb';

export interface LogEnvironment {
  readonly root: RootDatabase<Buffer, Buffer>;
  readonly canWrite: boolean;
  /** The tree of one partition; null when it does not exist and nothing may be written. */
  partition(name: string): BlockTree | null;
  /** A database of JSON values; null when it does not exist and nothing may be written. */
  json<T>(name: string): Database<T, string> | null;
  /** Runs all of `work` or nothing; it may run several times. Throws a `LogError` if the disk refuses it. */
  transact<T>(work: () => T): T;
  /** Number of the newest transaction of any process. */
  newestTransaction(): number;
}

/**
 * LMDB's `MDB_BAD_TXN`. LMDB aborts a transaction at the commit, completely and without an error of ours, if its record
 * of free pages does not match what it finds. It then reads them again, so the next attempt succeeds.
 */
const BAD_TRANSACTION = -30_782;
const ATTEMPTS_MAX = 5;

/** Runs a transaction, and repeats it if LMDB aborted it. `work` must change nothing but the databases. */
export function transactOn<T>(root: Pick<RootDatabase, 'transactionSync'>, path: string, work: () => T): T {
  for (let tried = 1; ; tried += 1) {
    try {
      return root.transactionSync(work, NO_WAIT);
    } catch (error) {
      if (tried === ATTEMPTS_MAX || codeOf(error) !== BAD_TRANSACTION) throw toLogError(error, path);
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
    // With a writable map a full disk is a bus error; with plain writes it is an error of the transaction.
    useWritemap: false,
    // Otherwise a flush follows each commit inside the same call, which would block the event loop.
    overlappingSync: false,
  }) as RootDatabase<Buffer, Buffer>;
  return {
    root,
    canWrite: !readOnly,
    partition: (name) => BlockTree.open(root, name),
    json: <T>(name: string) => (root.openDB({ name, encoding: 'json' }) as Database<T, string>) ?? null,
    transact: (work) => transactOn(root, path, work),
    newestTransaction: () => (root.getStats() as { lastTxnId: number }).lastTxnId,
  };
}

/** Maps an LMDB error to a `LogError`; other errors are returned unchanged. */
function toLogError(error: unknown, path: string): unknown {
  const text = error instanceof Error ? error.message : String(error);
  if (codeOf(error) === BAD_TRANSACTION)
    return new LogError('log_unavailable', `the log at ${path} aborted a transaction ${ATTEMPTS_MAX} times`, {
      cause: error,
    });
  const full = new LogError('log_full', `the disk of the log at ${path} is full`, { cause: error });
  if (/MDB_MAP_FULL|No space left|Disk quota/i.test(text)) return full;
  // LMDB reports a write that the disk cut short as an I/O error.
  if (/Input\/output error/i.test(text))
    return hasRoom(join(path, DATA_FILE))
      ? new LogError('log_unavailable', `the disk of ${path} fails`, { cause: error })
      : full;
  return error;
}
