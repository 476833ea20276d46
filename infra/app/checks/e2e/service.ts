/** Runs Parallax as users do: as a process of its own, reached over REST and WebSocket only. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gatherFrom } from '../../../testing/logs/gather.ts';
import { PROJECT_ROOT } from '../sources.ts';

const READY_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 60_000;

/** An admin token of the right form, for tests. */
export const TEST_TOKEN = `plx_live_00000000-0000-4000-8000-000000000001.${'T'.repeat(43)}`;

export interface ServiceOptions {
  readonly dataDir: string;
  /** Flags in addition to ports and data directory. */
  readonly flags: readonly string[];
  /** Undefined removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Called with the process when it is created, for tests that end it before it is ready. */
  readonly onSpawn?: (process: ChildProcess) => void;
}

export interface Service {
  readonly rest: string;
  readonly ws: string;
  readonly process: ChildProcess;
  /** Standard error: the structured logs. */
  logs(): string;
  /** Standard output. */
  output(): string;
  /** Stops the process, by SIGTERM unless another signal is given, and resolves with its exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  /** `kill -9`. */
  kill(): Promise<void>;
}

/** Creates a temporary folder, which `remove` deletes. */
export function temporaryFolder(prefix: string): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), `${prefix}-`));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Starts the service and waits until it prints its URLs. */
export async function startService({ dataDir, flags, env, onSpawn }: ServiceOptions): Promise<Service> {
  const child = spawn(
    process.execPath,
    [
      join(PROJECT_ROOT, 'infra/app/cli/parallax.mjs'),
      'start',
      '--http-port',
      '0',
      '--ws-port',
      '0',
      '--data-dir',
      dataDir,
      ...flags,
    ],
    {
      env: { ...process.env, PARALLAX_ADMIN_TOKEN: TEST_TOKEN, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  gatherFrom(child, 'service');
  onSpawn?.(child);
  let output = '';
  child.stdout!.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  let errors = '';
  child.stderr!.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString()).slice(-1_000_000);
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  const urls = await readUrls(child, exited, () => errors);
  return {
    ...urls,
    process: child,
    logs: () => errors,
    output: () => output,
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      const code = await Promise.race([exited, sleep(STOP_TIMEOUT_MS, 'late' as const)]);
      if (code !== 'late') return code;
      child.kill('SIGKILL');
      throw new Error(`the service did not stop within ${STOP_TIMEOUT_MS} ms:\n${errors.slice(-4_000)}`);
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Reads the URLs from the start-up lines. A process without the role prints no line for it. */
async function readUrls(child: ChildProcess, exited: Promise<number | null>, errors: () => string) {
  // All lines are printed by one write, once every part is ready.
  const found = new Promise<{ rest: string; ws: string }>((resolve) => {
    child.stdout!.once('data', (chunk: Buffer) => {
      const lines = new Map(
        chunk
          .toString()
          .split('\n')
          .map((line) => line.split(/\s+/, 2) as [string, string]),
      );
      resolve({ rest: lines.get('REST') ?? lines.get('Health') ?? '', ws: lines.get('WebSocket') ?? '' });
    });
  });
  const outcome = await Promise.race([found, exited, sleep(READY_TIMEOUT_MS, 'late' as const)]);
  if (outcome !== null && typeof outcome === 'object') return outcome;
  child.kill('SIGKILL');
  throw new Error(`the service did not become ready (${outcome}):\n${errors().slice(-4_000)}`);
}

/** Sends a GET with the test token. Throws on any status but 200. */
export async function get<T>(
  { rest, token = TEST_TOKEN }: Pick<Service, 'rest'> & { readonly token?: string },
  path: string,
): Promise<T> {
  const response = await fetch(`${rest}${path}`, {
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(10_000),
  });
  const body = await response.text();
  if (response.status !== 200) throw new Error(`GET ${path}: ${response.status} ${body}`);
  return JSON.parse(body) as T;
}

export interface HealthResponse {
  readonly status: 'ok' | 'starting' | 'degraded';
  readonly parts: Readonly<Record<string, string>>;
  /** Set by a gateway that was a standby at first: `standby`, or `active` once it sends. */
  readonly webhooks?: string;
}

/** Reads /health, whatever its status code is. */
export async function getHealth(service: Pick<Service, 'rest'>): Promise<HealthResponse> {
  const response = await fetch(`${service.rest}/health`, { signal: AbortSignal.timeout(10_000) });
  return (await response.json()) as HealthResponse;
}

/** Reads the sum of a counter or gauge over all labels. */
export async function getMetric(service: Pick<Service, 'rest'>, name: string): Promise<number> {
  const [sum] = await getMetrics(service, [name]);
  return sum!;
}

/** Like `getMetric`, for several at the same moment. */
async function getMetrics(service: Pick<Service, 'rest'>, names: readonly string[]): Promise<number[]> {
  const response = await fetch(`${service.rest}/metrics`, { signal: AbortSignal.timeout(10_000) });
  const lines = (await response.text()).split('\n');
  return names.map((name) => {
    const values = lines.filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
    return values.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
  });
}

/** Intervals between calls of `read` grow, since what is waited for for long costs CPU with every call. */
const POLL_MS = { first: 50, growth: 1.15, max: 250 };

/** Calls `read` until `done` accepts its result. Throws with the last result after `timeoutMs`. */
export async function eventually<T>(
  read: () => Promise<T>,
  done: (value: T) => boolean,
  timeoutMs = 30_000,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (let intervalMs = POLL_MS.first; ; intervalMs = Math.min(POLL_MS.max, intervalMs * POLL_MS.growth)) {
    const value = await read();
    if (done(value)) return value;
    if (Date.now() > deadline)
      throw new Error(`not within ${timeoutMs} ms; last: ${JSON.stringify(value)?.slice(0, 2_000)}`);
    await sleep(intervalMs);
  }
}

/** The counts of processed events and inserted rows must not change for this long. */
const IDLE_MS = 2_000;

/** Waits until the processors are idle: everything received is derived and in the tables. */
export async function untilIdle(service: Pick<Service, 'rest'>, timeoutMs = 60_000): Promise<void> {
  let before = '';
  let since = Date.now();
  await eventually(
    async () => {
      const now = (await getMetrics(service, ['parallax_stage_records_total', 'parallax_rows_inserted_total'])).join(
        ' ',
      );
      if (now !== before) since = Date.now();
      before = now;
      return Date.now() - since;
    },
    (idleMs) => idleMs >= IDLE_MS,
    timeoutMs,
  );
}
