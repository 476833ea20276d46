/**
 * One writing process at a time: a listening socket whose name follows from the folder. The system frees it with the
 * process, however that ends, so nothing stale ever keeps a log from being opened.
 */
import { createHash } from 'node:crypto';
import { renameSync, rmSync, statSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LogError } from '../log.ts';

const CONNECT_TIMEOUT_MS = 1_000;

/**
 * Resolves with how to let go; rejects with `log_locked` while another process, or another log of this one, holds the
 * folder.
 */
export async function claimFolder(path: string): Promise<() => Promise<void>> {
  const address = addressOf(path);
  const server = (await listen(address)) ?? (await takeOver(address));
  if (!server)
    throw new LogError(
      'log_locked',
      `another process is using the data directory ${path}; stop it or choose another --data-dir`,
    );
  server.unref();
  return () => new Promise((resolve) => server.close(() => resolve()));
}

/** The same for every path that leads to the folder. */
function addressOf(path: string): string {
  const { dev, ino } = statSync(path);
  const name = `parallax-${createHash('sha256').update(`${dev}:${ino}`).digest('hex').slice(0, 32)}`;
  // Linux has socket names apart from the file system; elsewhere a killed process leaves its socket file behind.
  return process.platform === 'linux' ? `\0${name}` : join(tmpdir(), `${name}.sock`);
}

function listen(address: string): Promise<Server | null> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(null) : reject(error),
    );
    server.listen(address, () => resolve(server));
  });
}

/**
 * A socket file that nobody answers on belongs to a process that was killed. It is moved away before anything else, so
 * that of two processes that find it one goes on; if what was moved is the other's new socket, it is put back.
 */
async function takeOver(address: string): Promise<Server | null> {
  if (address.startsWith('\0') || (await answers(address))) return null;
  const aside = `${address}.${process.pid}`;
  try {
    renameSync(address, aside);
  } catch {
    // The other process was faster: it holds the folder now.
    return listen(address);
  }
  if (await answers(aside)) {
    renameSync(aside, address);
    return null;
  }
  rmSync(aside, { force: true });
  return listen(address);
}

function answers(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address);
    socket.setTimeout(CONNECT_TIMEOUT_MS);
    const end = (result: boolean) => {
      socket.destroy();
      resolve(result);
    };
    socket.once('connect', () => end(true));
    socket.once('timeout', () => end(true));
    socket.once('error', () => end(false));
  });
}
