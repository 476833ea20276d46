/** Runs a program of this folder as a separate process. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { siblingModuleUrl } from '../../../runtime/sibling-module-url.ts';
import { startEnvironment } from './start-environment.ts';
import { LoadThreadError } from './start-thread.ts';

const READY_TIMEOUT_MS = 25_000;
const STOP_TIMEOUT_MS = 10_000;
const ERRORS_MAX = 4_000;

export interface SpawnedProgram {
  readonly pid: number;
  /**
   * Waits for the line `<label> <value>` and resolves with the value. Rejects if the program exits before, or on
   * timeout.
   */
  line(label: string, timeoutMs?: number): Promise<string>;
  /** The end of its standard error once it has exited; null while it runs. */
  exitErrors(): string | null;
  /** Sends SIGTERM, and SIGKILL after a timeout. */
  stop(): Promise<void>;
  /** Sends SIGKILL and resolves once the process has exited. */
  kill(): Promise<void>;
}

export interface StartedProcess {
  /** The URL that it printed. */
  readonly url: string;
  /** Sends SIGTERM, and SIGKILL after a timeout. */
  stop(): Promise<void>;
}

/** Starts `threads/<name>`, compiled if this file is, with the variables of `npm start`. */
export function spawnProgram(
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): SpawnedProgram {
  const program = fileURLToPath(siblingModuleUrl(import.meta.url, name));
  const script = program.endsWith('.ts')
    ? [fileURLToPath(new URL('../../../testing/run-ts.mjs', import.meta.url))]
    : [];
  // Inherits Node's flags, so that `node --cpu-prof` profiles the program under test as well.
  const child = spawn(process.execPath, [...process.execArgv, ...script, program, ...args], {
    env: { ...process.env, ...startEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString()).slice(-ERRORS_MAX);
  });
  const exited = new Promise<null>((resolve) => child.once('exit', () => resolve(null)));
  const printed = new Map<string, string>();
  const output = createInterface({ input: child.stdout }).on('line', (line) => {
    const [label, value] = line.split(/\s+/);
    if (value !== undefined) printed.set(label!, value);
  });
  const kill = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  return {
    pid: child.pid!,
    exitErrors: () => (child.exitCode === null && child.signalCode === null ? null : errors),
    kill,
    async stop() {
      child.kill('SIGTERM');
      if ((await Promise.race([exited, sleep(STOP_TIMEOUT_MS, 'late', { ref: false })])) !== null) await kill();
    },
    async line(label, timeoutMs = READY_TIMEOUT_MS) {
      const found = new Promise<string>((resolve) => {
        const check = () => {
          const value = printed.get(label);
          if (value === undefined) return;
          output.off('line', check);
          resolve(value);
        };
        output.on('line', check);
        check();
      });
      const value = await Promise.race([found, exited, sleep(timeoutMs, null, { ref: false })]);
      if (value === null) throw new LoadThreadError(`${name} did not become ready: ${errors}`);
      return value;
    },
  };
}

/** Starts `threads/<name>` and waits for its line `<label> <url>`. Stops it on failure. */
export async function startProcess(
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  label: 'WebSocket' | 'REST' = 'WebSocket',
): Promise<StartedProcess> {
  const program = spawnProgram(name, args, env);
  try {
    return { url: await program.line(label), stop: program.stop };
  } catch (error) {
    await program.stop();
    throw error;
  }
}
