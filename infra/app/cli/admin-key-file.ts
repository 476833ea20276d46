/** The generated admin key in the data directory, for commands on the same machine. Only its owner can read the file. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const fileOf = (dataDir: string) => join(resolve(dataDir), 'admin-key');

/** Stores the key. Returns the file; null if there is no data directory, as on a cluster. */
export function writeAdminKey(dataDir: string, token: string): string | null {
  if (!existsSync(resolve(dataDir))) return null;
  const file = fileOf(dataDir);
  writeFileSync(file, `${token}\n`, { mode: 0o600 });
  return file;
}

/** The key that the first start with this data directory generated; null if it was given to it. */
export function readAdminKey(dataDir: string): string | null {
  const file = fileOf(dataDir);
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : null;
}
