/** Mounts a small file system, for tests of a full disk. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freeBytes } from '../runtime/free-bytes.ts';

const BLOCK = Buffer.alloc(64 * 1024);
const COMMAND_TIMEOUT_MS = 10_000;

export interface SmallDisk {
  readonly path: string;
  freeBytes(): number;
  /** Fills the disk until at most `leaveBytes` are free. */
  fill(leaveBytes: number): void;
  /** Fills the disk completely from another process, while this one writes to it. */
  fillBeside(): Promise<void>;
  /** Frees the space that `fill` used. */
  clear(): void;
  remove(): void;
}

/** Mounts a tmpfs of `bytes`. Null if that is not possible: it needs Linux, and root or `sudo` without a password. */
export function mountSmallDisk(prefix: string, bytes: number): SmallDisk | null {
  const path = mkdtempSync(join(tmpdir(), `${prefix}-`));
  const run = process.platform === 'linux' ? mountedBy(path, bytes) : null;
  if (!run) {
    rmSync(path, { recursive: true });
    return null;
  }
  const filler = join(path, 'filler');
  return {
    path,
    freeBytes: () => freeBytes(path),
    fill(leaveBytes) {
      const file = openSync(filler, 'a');
      try {
        while (freeBytes(path) > leaveBytes) writeSync(file, BLOCK);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      } finally {
        closeSync(file);
      }
    },
    async fillBeside() {
      // It ends by itself, with an error, when nothing is free.
      const writer = spawn('dd', ['if=/dev/zero', `of=${filler}`, 'bs=64k'], { stdio: 'ignore' });
      await once(writer, 'exit');
    },
    clear: () => rmSync(filler, { force: true }),
    remove() {
      // Lazy unmount, so that a process that outlives its test does not block it.
      run('umount', '-l', path);
      rmSync(path, { recursive: true, force: true });
    },
  };
}

/** Mounts the file system. Returns a function that runs commands with the same rights, or null if mounting failed. */
function mountedBy(path: string, bytes: number): ((...command: string[]) => boolean) | null {
  for (const prefix of [[], ['sudo', '-n']]) {
    const run = (...args: string[]) => {
      const [command, ...rest] = [...prefix, ...args];
      return spawnSync(command!, rest, { stdio: 'ignore', timeout: COMMAND_TIMEOUT_MS }).status === 0;
    };
    if (run('mount', '-t', 'tmpfs', '-o', `size=${bytes},mode=0777`, 'tmpfs', path)) return run;
  }
  return null;
}
