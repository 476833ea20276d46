import { statfsSync } from 'node:fs';

/** Bytes of a disk that the log and the store leave free: for the log's deletions, and for writes that already run. */
export const RESERVE_BYTES = 64 * 2 ** 20;

/** Bytes that a process without special rights can still write to the disk that holds this path. */
export function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}
