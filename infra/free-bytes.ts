import { statfsSync } from 'node:fs';

/** Bytes that a process without special rights can still write to the disk that holds this path. */
export function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}
