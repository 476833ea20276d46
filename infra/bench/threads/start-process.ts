/** A program of this folder as a process of its own. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { programBeside } from '../../program-beside.ts';
import { LoadThreadError } from './start-thread.ts';

const READY_TIMEOUT_MS = 25_000;
const STOP_TIMEOUT_MS = 10_000;
const ERRORS_KEPT = 4_000;

export interface StartedProcess {
  /** What it printed behind the label. */
  readonly address: string;
  /** Asks it to end, and makes it when it does not. */
  stop(): Promise<void>;
}

/** Starts `threads/<name>` and waits for its line `<label> <address>`. */
export async function startProcess(
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  label: 'WebSocket' | 'REST' = 'WebSocket',
): Promise<StartedProcess> {
  const script = fileURLToPath(programBeside(import.meta.url, name));
  // With Node's own flags, so that `node --cpu-prof` profiles the program under test as well.
  const child = spawn(process.execPath, [...process.execArgv, script, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString()).slice(-ERRORS_KEPT);
  });
  const exited = new Promise<null>((resolve) => child.once('exit', () => resolve(null)));
  const stop = async () => {
    child.kill('SIGTERM');
    if ((await Promise.race([exited, sleep(STOP_TIMEOUT_MS, 'late', { ref: false })])) === null) return;
    child.kill('SIGKILL');
    await exited;
  };
  const told = new Promise<string>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [found, address] = line.split(/\s+/);
      if (found === label && address !== undefined) resolve(address);
    });
  });
  const address = await Promise.race([told, exited, sleep(READY_TIMEOUT_MS, null, { ref: false })]);
  if (address !== null) return { address, stop };
  await stop();
  throw new LoadThreadError(`${name} did not become ready: ${errors}`);
}
