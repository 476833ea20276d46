/** Collects all logs of a test run in one folder, for the check that they hold no secret (`infra/app/checks/logs`). */
import type { ChildProcess } from 'node:child_process';
import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Variable with the path of an existing folder. If it is unset nothing is collected. Child processes inherit it. */
export const LOGS_VARIABLE = 'PARALLAX_TEST_LOGS';

const files = new Map<string, number>();

/** True if this run collects logs. */
export function isGathering(): boolean {
  return Boolean(process.env[LOGS_VARIABLE]);
}

/** Appends a text to this process's file of a source. Writes synchronously, so that a crash loses nothing. */
export function gather(source: string, text: string | Buffer): void {
  const folder = process.env[LOGS_VARIABLE];
  if (!folder) return;
  const path = join(folder, `${source}.${process.pid}.log`);
  let file = files.get(path);
  if (file === undefined) {
    file = openSync(path, 'a');
    files.set(path, file);
  }
  writeSync(file, typeof text === 'string' ? Buffer.from(text) : text);
}

/** Collects standard output and standard error of a process, if they are pipes. */
export function gatherFrom(child: ChildProcess, name: string): void {
  if (!isGathering()) return;
  child.stdout?.on('data', (chunk: Buffer) => gather(`${name}-${child.pid}-out`, chunk));
  child.stderr?.on('data', (chunk: Buffer) => gather(`${name}-${child.pid}-err`, chunk));
}
