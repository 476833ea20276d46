/** A small file system of its own, for what has to be shown on a full disk. */
import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const BLOCK = Buffer.alloc(64 * 1024);
const COMMAND_TIMEOUT_MS = 10_000;

export interface SmallDisk {
  readonly path: string;
  freeBytes(): number;
  /** Takes the disk until at most `leaveBytes` are free; 0 takes it to the last byte. */
  fill(leaveBytes: number): void;
  /** Gives back what `fill` took. */
  clear(): void;
  remove(): void;
}

/** Mounts a tmpfs of `bytes`; null where that is not allowed: it needs Linux, and root or a `sudo` without password. */
export function mountSmallDisk(prefix: string, bytes: number): SmallDisk | null {
  const path = mkdtempSync(join(tmpdir(), `${prefix}-`));
  const run = process.platform === 'linux' ? mountedBy(path, bytes) : null;
  if (!run) {
    rmSync(path, { recursive: true });
    return null;
  }
  const filler = join(path, 'filler');
  const freeBytes = () => {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  };
  return {
    path,
    freeBytes,
    fill(leaveBytes) {
      const file = openSync(filler, 'a');
      try {
        while (freeBytes() > leaveBytes) writeSync(file, BLOCK);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      } finally {
        closeSync(file);
      }
    },
    clear: () => rmSync(filler, { force: true }),
    remove() {
      // Lazily, so that a process which outlives its test keeps no mount behind.
      run('umount', '-l', path);
      rmSync(path, { recursive: true, force: true });
    },
  };
}

/** How commands are run here that may mount; null when none may. */
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
