/**
 * One writing process at a time: a listening socket whose name follows from the folder. The system frees it with the
 * process, however that ends, so nothing stale is ever left behind.
 */
import { createHash } from 'node:crypto';
import { realpathSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LogError } from '../log.ts';

const CONNECT_TIMEOUT_MS = 1_000;

/** Resolves with how to let go; rejects with `log_locked` while another process holds the folder. */
export async function claimFolder(path: string): Promise<() => Promise<void>> {
  const name = `parallax-${createHash('sha256').update(realpathSync(path)).digest('hex').slice(0, 32)}`;
  // Linux has socket names apart from the file system; elsewhere a socket file is left over by a killed process.
  const address = process.platform === 'linux' ? `\0${name}` : join(tmpdir(), `${name}.sock`);
  const server = (await listen(address)) ?? (await takeOver(address));
  if (!server)
    throw new LogError(
      'log_locked',
      `another process is using the data directory ${path}; stop it or choose another --data-dir`,
    );
  server.unref();
  return () => new Promise((resolve) => server.close(() => resolve()));
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

/** A socket file that nobody answers on belongs to a process that was killed. */
async function takeOver(address: string): Promise<Server | null> {
  if (address.startsWith('\0') || (await answers(address))) return null;
  rmSync(address, { force: true });
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
