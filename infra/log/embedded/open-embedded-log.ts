import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { RESERVE_BYTES } from '../../runtime/free-bytes.ts';
import { type EventLog, LogError } from '../log.ts';
import { DiskRoom } from './disk-room.ts';
import { EmbeddedLog } from './embedded-log.ts';
import { DATA_FILE, openEnvironment } from './environment.ts';
import { ForeignTail } from './foreign-tail.ts';
import { checkFormat } from './format.ts';
import { Journal, journalFolder } from './journal.ts';
import { claimFolder } from './single-writer.ts';
import { restoreAfterPowerLoss, SyncPoints, wasPowerLost } from './sync-points.ts';
import { TopicTable } from './topic-table.ts';
import { TreeMoves } from './tree-moves.ts';
import { bytesOf } from './tree-stats.ts';

export interface EmbeddedLogOptions {
  /** Folder of the environment; created if missing, unless `readOnly`. */
  readonly path: string;
  /**
   * Follows a log that another process writes: records arrive within 50 ms and never delay the writer; watermarks are
   * in the writer's memory and are not delivered. Appending, groups, clearing and maintenance reject with `log_locked`.
   */
  readonly readOnly?: boolean;
  /** Free bytes of the disk below which appends are refused with `log_full`; default 64 MiB. */
  readonly reserveBytes?: number;
  /** Called with errors of background work, such as a failed sync point; default: a process warning. */
  readonly onFault?: (error: unknown) => void;
}

/**
 * Opens the event log in a folder. Rejects with `log_locked` if another process writes it, with `log_unavailable` if it
 * is opened read-only and does not exist, and with `log_other_format` if another version wrote it.
 */
export async function openEmbeddedLog(options: EmbeddedLogOptions): Promise<EventLog> {
  const { path, readOnly = false } = options;
  if (readOnly) return openReading(path);
  mkdirSync(journalFolder(path), { recursive: true });
  const release = await claimFolder(path);
  try {
    return await openWriting(options, release);
  } catch (error) {
    await release();
    throw error;
  }
}

async function openWriting(options: EmbeddedLogOptions, release: () => Promise<void>): Promise<EventLog> {
  const { path, reserveBytes = RESERVE_BYTES, onFault = warn } = options;
  restoreAfterPowerLoss(path);
  const environment = openEnvironment(path, false);
  await checkFormat(environment, path);
  const topics = new TopicTable(environment);
  const groups = environment.json<number>('groups')!;
  const usedBytes = () =>
    topics
      .all()
      .flatMap(({ partitions }) => partitions)
      .reduce((sum, { tree }) => sum + tree.bytes, bytesOf(groups));
  const room = new DiskRoom({ environment, file: join(path, DATA_FILE), reserveBytes, usedBytes });
  const journal = new Journal(environment, journalFolder(path), room);
  const onBegin = () => {
    const freePages = room.beforeSyncPoint();
    const removeFiles = journal.beforeSyncPoint();
    return () => {
      freePages();
      return removeFiles();
    };
  };
  const syncPoints = new SyncPoints({ environment, path, onBegin, onFault, flushJournal: () => journal.flush() });
  const moves = new TreeMoves({ environment, journal, room, syncPoints, onFault });
  const log = new EmbeddedLog(environment, topics, { journal, moves, syncPoints, release });
  // The first sync point, to which the log can return.
  await syncPoints.make();
  return log;
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}

async function openReading(path: string): Promise<EventLog> {
  if (!existsSync(join(path, DATA_FILE))) throw new LogError('log_unavailable', `there is no log in ${path}`);
  // No writer has opened the log since the power loss: changes after its newest sync point cannot be trusted.
  if (wasPowerLost(path)) {
    const release = await claimFolder(path);
    restoreAfterPowerLoss(path);
    await release();
  }
  const environment = openEnvironment(path, true);
  await checkFormat(environment, path);
  const foreign = new ForeignTail(environment, journalFolder(path));
  return new EmbeddedLog(environment, new TopicTable(environment), foreign);
}
