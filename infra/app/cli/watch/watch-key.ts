/** The key with which `npm run watch` reads from the service of a local data directory. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { timeLimit } from '../../../runtime/time-limit.ts';

const REQUEST_TIMEOUT_MS = 5_000;
const fileIn = (dataDir: string) => join(resolve(dataDir), 'watch-key');

export interface WatchKeyOptions {
  readonly dataDir: string;
  /** Base URL of the service. */
  readonly rest: string;
  readonly adminToken: string;
}

/**
 * Creates a key that may only read, as any client does, and writes its token to the data directory, readable by its
 * owner alone. It gives no access beyond what the data directory itself holds; the admin key is stored nowhere. Rejects
 * if the service does not create it.
 */
export async function createWatchKey({ dataDir, rest, adminToken }: WatchKeyOptions): Promise<void> {
  const response = await fetch(`${rest}/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'watch', userId: 'watch', scopes: ['read', 'stream'] }),
    signal: timeLimit(REQUEST_TIMEOUT_MS),
  });
  if (response.status !== 201) throw new Error(`POST /keys: ${response.status} ${await response.text()}`);
  const { token } = (await response.json()) as { token: string };
  writeFileSync(fileIn(dataDir), `${token}\n`, { mode: 0o600 });
}

export interface AdminTokens {
  /** The token that this start generated; null if it generated none. */
  readonly generated: string | null;
  /** PARALLAX_ADMIN_TOKEN; null if it is not set. */
  readonly configured: string | null;
}

/**
 * The admin token with which to create the key; null if the data directory has one. A generated token replaces it: it
 * belongs to a new log, whose service does not know the old key.
 */
export function tokenForWatchKey(dataDir: string, { generated, configured }: AdminTokens): string | null {
  if (generated !== null) return generated;
  return readWatchKey(dataDir) === null ? configured : null;
}

/** The token in a data directory; null if there is none. */
export function readWatchKey(dataDir: string): string | null {
  const file = fileIn(dataDir);
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : null;
}
