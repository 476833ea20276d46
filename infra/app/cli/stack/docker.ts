/** Runs Docker and its compose plugin, or `docker-compose` where that is what there is. */
import { spawn, spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { SettingError } from '../../../config/declare.ts';

const POLL_MS = 2_000;
/** Limit of a command that only asks for something. */
const ANSWER_TIMEOUT_MS = 30_000;
const HEALTHY_TIMEOUT_MS = 10 * 60_000;

/** The words before the arguments of compose. */
export type Compose = readonly [command: string, ...args: string[]];

/** Finds compose and an engine that answers. Throws a `SettingError` of one line if one of them is missing. */
export function findCompose(): Compose {
  const known: Compose[] = [['docker', 'compose'], ['docker-compose']];
  const compose = known.find(([command, ...args]) => ask(command, [...args, 'version']).status === 0);
  if (!compose)
    throw new SettingError(
      'Docker is missing: neither docker compose nor docker-compose can be run; install Docker Engine with its compose plugin',
    );
  const { status, stderr } = ask('docker', ['info']);
  if (status !== 0) {
    const reason = (stderr ?? '').trim().split('\n').at(-1) || 'no answer in time';
    throw new SettingError(`Docker does not answer (${reason}); start it, let your user use it, or set DOCKER_HOST`);
  }
  return compose;
}

const ask = (command: string, args: readonly string[], cwd?: string) =>
  spawnSync(command, args, { cwd, encoding: 'utf8', timeout: ANSWER_TIMEOUT_MS });

/** Docker refused a command; the message quotes its answer. */
export class DockerError extends Error {
  override name = 'DockerError';
}

/** Runs a command in the terminal's place. Resolves with its exit code. */
export function runCommand([command, ...args]: readonly [string, ...string[]], cwd: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, stdio: 'inherit' });
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

/**
 * Waits until every container that `listArguments` (of compose) lists is healthy. Resolves with the names of those that
 * are not after ten minutes; none means success. Rejects with a `DockerError`.
 */
export async function waitUntilHealthy(
  [command, ...args]: Compose,
  listArguments: readonly string[],
  cwd: string,
  onProgress: (healthy: number, total: number) => void,
): Promise<string[]> {
  const deadline = Date.now() + HEALTHY_TIMEOUT_MS;
  const ids = outputOf(command, [...args, ...listArguments], cwd)
    .split('\n')
    .filter(Boolean);
  if (ids.length === 0) throw new DockerError('there is no container of the stack');
  for (;;) {
    const states = outputOf('docker', ['inspect', '--format', '{{.Name}} {{.State.Health.Status}}', ...ids], cwd)
      .split('\n')
      .filter(Boolean);
    const unhealthy = states.filter((line) => !line.endsWith(' healthy'));
    onProgress(states.length - unhealthy.length, states.length);
    if (unhealthy.length === 0 || Date.now() > deadline) return unhealthy.map((line) => line.replace(/^\//, ''));
    await sleep(POLL_MS);
  }
}

function outputOf(command: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = ask(command, args, cwd);
  if (status !== 0)
    throw new DockerError(`${command} ${args.join(' ')} failed: ${stderr.trim() || 'no answer in time'}`);
  return stdout;
}
