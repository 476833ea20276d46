/** Runs commands of `parallax` as users run them. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { gatherFrom } from '../../../testing/logs/gather.ts';
import { PROJECT_ROOT } from '../sources.ts';

const TIMEOUT_MS = 120_000;

export interface CommandResult {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs `parallax <name> …` to its end. */
export function runCommand(
  name: string,
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(PROJECT_ROOT, 'infra/app/cli/parallax.mjs'), name, ...argv], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: TIMEOUT_MS,
    });
    gatherFrom(child, 'command');
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      err += chunk.toString();
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, out, err }));
  });
}
