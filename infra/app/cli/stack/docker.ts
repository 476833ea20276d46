/** Runs Docker and its compose plugin, or `docker-compose` where that is what there is. */
import { spawn, spawnSync } from 'node:child_process';
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { SettingError } from '../../../config/declare.ts';

const POLL_MS = 2_000;
/** Limit of a command that only asks for something. */
const ANSWER_TIMEOUT_MS = 30_000;
const HEALTHY_TIMEOUT_MS = 10 * 60_000;

/** Exit code of a role whose settings are invalid. */
const INVALID_SETTING = 2;
/** A container that ended this often while it was waited for is given up. */
const RESTARTS_MAX = 5;
/** Added to the number of a signal. */
const SIGNAL_CODE = 128;

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

/**
 * Runs a command in the terminal's place. Resolves with its exit code, as a shell gives it if a signal ended it. A signal
 * to this process ends the command only: the terminal sends Ctrl-C to both, and SIGTERM is passed on.
 */
export function runCommand([command, ...args]: readonly [string, ...string[]], cwd: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const leaveToChild = () => {};
    const passOn = () => void child.kill('SIGTERM');
    process.on('SIGINT', leaveToChild).on('SIGTERM', passOn);
    const child = spawn(command, args, { cwd, stdio: 'inherit' });
    const stopListening = () => process.off('SIGINT', leaveToChild).off('SIGTERM', passOn);
    child.once('error', (error) => {
      stopListening();
      reject(error);
    });
    child.once('exit', (code, signal) => {
      stopListening();
      resolve(code ?? SIGNAL_CODE + constants.signals[signal!]);
    });
  });
}

/** What `docker inspect` prints of a container, separated by tabs. The health is empty without a health check. */
const STATE_FORMAT =
  '{{.Name}}\t{{.State.Status}}\t{{if .State.Health}}{{.State.Health.Status}}{{end}}\t{{.State.ExitCode}}\t{{.RestartCount}}';

interface ContainerState {
  readonly name: string;
  readonly status: string;
  readonly health: string;
  readonly exitCode: number;
  readonly restarts: number;
}

/**
 * Waits until every container that `listArguments` (of compose) lists is healthy, or running if it has no health check.
 * Prints how many are, whenever that changes. Resolves with the names of those that are not after ten minutes; none means
 * success. Rejects with a `DockerError`, which quotes the log, once a container fails again and again.
 */
export async function waitUntilHealthy(
  [command, ...args]: Compose,
  listArguments: readonly string[],
  cwd: string,
): Promise<string[]> {
  const deadline = Date.now() + HEALTHY_TIMEOUT_MS;
  const ids = outputOf(command, [...args, ...listArguments], cwd)
    .split('\n')
    .filter(Boolean);
  if (ids.length === 0) throw new DockerError('there is no container of the stack');
  let unhealthy = ids;
  let printed = '';
  let restartsAtFirst: ReadonlyMap<string, number> | null = null;
  for (;;) {
    const states = readStates(ids, cwd);
    if (states) {
      restartsAtFirst ??= new Map(states.map(({ name, restarts }) => [name, restarts]));
      for (const state of states) throwIfHopeless(state, restartsAtFirst.get(state.name) ?? 0, cwd);
      unhealthy = states
        .filter((state) => !isHealthy(state))
        .map(({ name, status, health }) => `${name} ${health || status}`);
      const line = `${states.length - unhealthy.length} of ${states.length} services are healthy`;
      if (line !== printed) console.log(line);
      printed = line;
    }
    if (unhealthy.length === 0 || Date.now() > deadline) return unhealthy;
    await sleep(POLL_MS);
  }
}

/** Null if Docker is too busy to answer in time. */
function readStates(ids: readonly string[], cwd: string): ContainerState[] | null {
  const args = ['inspect', '--format', STATE_FORMAT, ...ids];
  const { status, stdout, stderr } = ask('docker', args, cwd);
  if (status === null) return null;
  if (status !== 0) throw new DockerError(`docker ${args.join(' ')} failed: ${stderr.trim()}`);
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [name = '', state = '', health = '', exitCode, restarts] = line.split('\t');
      return {
        name: name.replace(/^\//, ''),
        status: state,
        health,
        exitCode: Number(exitCode),
        restarts: Number(restarts),
      };
    });
}

/** Without a health check, a container that did its work and ended is as good as a running one. */
function isHealthy({ status, health, exitCode }: ContainerState): boolean {
  if (health !== '') return health === 'healthy';
  return status === 'running' || (status === 'exited' && exitCode === 0);
}

/** Waiting mends no invalid setting, and rarely what ended a container several times. */
function throwIfHopeless({ name, status, exitCode, restarts }: ContainerState, restartsAtFirst: number, cwd: string) {
  const hasEnded = status !== 'running' && exitCode !== 0;
  if (!hasEnded || (exitCode !== INVALID_SETTING && restarts - restartsAtFirst < RESTARTS_MAX)) return;
  const { stdout, stderr } = ask('docker', ['logs', '--tail', '1', name], cwd);
  const lastLine = `${stdout ?? ''}${stderr ?? ''}`.trim() || 'its log is empty';
  throw new DockerError(`${name} ends with exit code ${exitCode} again and again: ${lastLine}`);
}

function outputOf(command: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = ask(command, args, cwd);
  if (status !== 0)
    throw new DockerError(`${command} ${args.join(' ')} failed: ${stderr.trim() || 'no answer in time'}`);
  return stdout;
}
