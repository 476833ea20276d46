// Writes the files of a build beside those of the one before, from which processes may still be running.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** For so long a process may load a chunk that the newest build does not have any more. */
const STALE_FOR_MS = 24 * 60 * 60_000;

/** Writes a file so that who reads it at the same time gets all of the old or all of the new one. */
export function writeWhole(path, content) {
  if (existsSync(path) && readFileSync(path, 'utf8') === content) return;
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, content);
  renameSync(temporary, path);
}

/** For each stale file the time of the first build without it: as stated by the build before, else now. */
export function staleSince(existing, current, before, now) {
  return Object.fromEntries(existing.filter((path) => !current.has(path)).map((path) => [path, before[path] ?? now]));
}

/** Removes the files that no build of the last day has. The file `list` states since when each of the others is stale. */
export function removeStale(existing, current, list, now = Date.now()) {
  const before = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : {};
  const all = Object.entries(staleSince(existing, current, before, now));
  const isOver = ([, since]) => now - since > STALE_FOR_MS;
  for (const [path] of all.filter(isOver)) rmSync(path, { force: true });
  writeWhole(list, JSON.stringify(Object.fromEntries(all.filter((one) => !isOver(one)))));
}
