/**
 * Allows one writing process at a time, by a resource that the system frees when the process ends in any way: nothing
 * stale ever prevents opening a log.
 */
import { createHash } from 'node:crypto';
import { closeSync, constants, openSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { LogError } from '../log.ts';

const LOCK_FILE = 'writer.lock';
/** `O_EXLOCK` of macOS and the BSDs, for which Node has no constant: opens and locks in one step. */
const OPEN_LOCKED = 0x20;

/**
 * Claims a folder and resolves with a function that releases it. Rejects with `log_locked` while another process, or
 * another log of this one, holds the folder, by whatever path.
 */
export async function claimFolder(path: string): Promise<() => Promise<void>> {
  const release = hasSocketNames() ? await listen(socketName(path)) : lock(join(path, LOCK_FILE));
  if (release) return release;
  const message = `another process is using the data directory ${path}; stop it or choose another --data-dir`;
  throw new LogError('log_locked', message);
}

/** Linux and Windows have socket names that are not files and disappear with the process. */
function hasSocketNames(): boolean {
  return process.platform === 'linux' || process.platform === 'win32';
}

function socketName(path: string): string {
  const { dev, ino } = statSync(path, { bigint: true });
  const name = `parallax-${createHash('sha256').update(`${dev}:${ino}`).digest('hex').slice(0, 32)}`;
  return process.platform === 'linux' ? `\0${name}` : `\\\\.\\pipe\\${name}`;
}

function listen(name: string): Promise<(() => Promise<void>) | null> {
  return new Promise((resolve, reject) => {
    const server: Server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(null) : reject(error),
    );
    server.listen(name, () => {
      server.unref();
      resolve(() => new Promise((closed) => server.close(() => closed())));
    });
  });
}

function lock(file: string): (() => Promise<void>) | null {
  try {
    const descriptor = openSync(file, constants.O_RDWR | constants.O_CREAT | constants.O_NONBLOCK | OPEN_LOCKED);
    return async () => closeSync(descriptor);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return null;
    throw error;
  }
}
