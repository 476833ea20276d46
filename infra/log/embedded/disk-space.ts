/** Disk space: how much is free, and writes that a full disk may cut short. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { freeBytes } from '../../runtime/free-bytes.ts';
import { LogError } from '../log.ts';

const ZEROS = Buffer.alloc(256 * 1024);
/** Free bytes below which the disk counts as full after a write was cut short. */
const LAST_BYTES = 1024 * 1024;

/** True if more than a remainder is free on the disk that holds this path. */
export function hasRoom(path: string): boolean {
  return freeBytes(path) > LAST_BYTES;
}

/** Extends a file with zeros, as far as the disk has space. */
export function extend(path: string, from: number, to: number): void {
  const file = openSync(path, 'r+');
  try {
    writeZeros(file, from, to);
  } finally {
    closeSync(file);
  }
}

/** Writes zeros; returns false if a full disk ended it early. */
export function writeZeros(file: number, from: number, to: number): boolean {
  return whenRoom(() => {
    for (let at = from; at < to; ) at += writeSync(file, ZEROS, 0, Math.min(ZEROS.length, to - at), at);
  });
}

/** Runs something that writes to the disk; returns false if a full disk ended it early. */
export function whenRoom(work: () => void): boolean {
  try {
    work();
    return true;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['ENOSPC', 'EDQUOT'].includes(code)) return false;
    if (code === 'EIO') throw new LogError('log_unavailable', 'the disk of the log fails', { cause: error });
    throw error;
  }
}
