/** Gathers what a test run logs in one folder, for the check that no secret is in it (`infra/checks/logs`). */
import type { ChildProcess } from 'node:child_process';
import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Names the folder, which must be there; without it nothing is gathered. Processes that tests start inherit it. */
export const LOGS_VARIABLE = 'PARALLAX_TEST_LOGS';

const files = new Map<string, number>();

/** Whether this run gathers logs. */
export function isGathering(): boolean {
  return Boolean(process.env[LOGS_VARIABLE]);
}

/** Keeps a text under the name of a source, in a file of this process. Written at once, so that no crash loses it. */
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

/** Keeps what a process writes to its standard output and standard error, where they are pipes. */
export function gatherFrom(child: ChildProcess, name: string): void {
  if (!isGathering()) return;
  child.stdout?.on('data', (chunk: Buffer) => gather(`${name}-${child.pid}-out`, chunk));
  child.stderr?.on('data', (chunk: Buffer) => gather(`${name}-${child.pid}-err`, chunk));
}
