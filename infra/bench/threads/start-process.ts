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

export interface SpawnedProgram {
  readonly pid: number;
  /** Waits for the line `<label> <value>` and gives the value. Rejects when the program ends before, or is late. */
  line(label: string, timeoutMs?: number): Promise<string>;
  /** The last that it wrote to standard error, once it has ended; null while it runs. */
  ending(): string | null;
  /** Asks it to end, and makes it when it does not. */
  stop(): Promise<void>;
  /** SIGKILL; resolves once it is gone. */
  kill(): Promise<void>;
}

export interface StartedProcess {
  /** What it printed behind the label. */
  readonly address: string;
  /** Asks it to end, and makes it when it does not. */
  stop(): Promise<void>;
}

/** Starts `threads/<name>`, compiled or not as this file is. */
export function spawnProgram(
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): SpawnedProgram {
  const program = fileURLToPath(programBeside(import.meta.url, name));
  const script = program.endsWith('.ts') ? [fileURLToPath(new URL('../../testing/run-ts.mjs', import.meta.url))] : [];
  // With Node's own flags, so that `node --cpu-prof` profiles the program under test as well.
  const child = spawn(process.execPath, [...process.execArgv, ...script, program, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString()).slice(-ERRORS_KEPT);
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
    ending: () => (child.exitCode === null && child.signalCode === null ? null : errors),
    kill,
    async stop() {
      child.kill('SIGTERM');
      if ((await Promise.race([exited, sleep(STOP_TIMEOUT_MS, 'late', { ref: false })])) !== null) await kill();
    },
    async line(label, timeoutMs = READY_TIMEOUT_MS) {
      const found = new Promise<string>((resolve) => {
        const look = () => {
          const value = printed.get(label);
          if (value === undefined) return;
          output.off('line', look);
          resolve(value);
        };
        output.on('line', look);
        look();
      });
      const value = await Promise.race([found, exited, sleep(timeoutMs, null, { ref: false })]);
      if (value === null) throw new LoadThreadError(`${name} did not become ready: ${errors}`);
      return value;
    },
  };
}

/** Starts `threads/<name>` and waits for its line `<label> <address>`; stops it when that does not come. */
export async function startProcess(
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  label: 'WebSocket' | 'REST' = 'WebSocket',
): Promise<StartedProcess> {
  const program = spawnProgram(name, args, env);
  try {
    return { address: await program.line(label), stop: program.stop };
  } catch (error) {
    await program.stop();
    throw error;
  }
}
