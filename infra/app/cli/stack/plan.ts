/** The commands that the stack is run with, as lists of arguments of `docker compose`. */

export interface StackOptions {
  readonly action: 'up' | 'down' | 'replay';
  readonly threeBrokers: boolean;
  /** For `replay`. */
  readonly verify: boolean;
  /** True if there is a file of the operator's own that is laid over the others. */
  readonly hasOverride: boolean;
}

const BASE_FILE = 'infra/docker-compose.yml';
const THREE_BROKERS_FILE = 'infra/docker-compose.three-brokers.yml';
/** Below the root of the project. Compose uses a file of this name by itself only if it is passed no others. */
export const OVERRIDE_FILE = 'infra/docker-compose.override.yml';
/** Every role writes to the log, so a replay stops all of them. */
const ROLES = ['ingest', 'processors', 'query-api', 'stream-gateway'];

/** What to run, in this order, from the root of the project. */
export interface StackPlan {
  readonly steps: readonly (readonly string[])[];
  /** Runs after the steps even if one of them fails. */
  readonly lastStep: readonly string[] | null;
  /** Lists the containers that must be healthy afterwards; null if none has to be. */
  readonly list: readonly string[] | null;
}

export function planStack({ action, threeBrokers, verify, hasOverride }: StackOptions): StackPlan {
  // Stopping removes the containers of either kind.
  const files = [
    BASE_FILE,
    ...(threeBrokers || action === 'down' ? [THREE_BROKERS_FILE] : []),
    ...(hasOverride ? [OVERRIDE_FILE] : []),
  ];
  const compose = (...args: string[]) => [
    ...['--project-name', 'parallax', '--project-directory', 'infra', '--env-file', 'infra/.env'],
    ...files.flatMap((file) => ['--file', file]),
    ...args,
  ];
  const list = compose('ps', '--quiet');
  switch (action) {
    case 'up':
      // The roles have the same image, so one of them builds it for all.
      return { steps: [compose('build', 'processors'), compose('up', '--detach')], lastStep: null, list };
    case 'down':
      return { steps: [compose('down')], lastStep: null, list: null };
    case 'replay':
      return {
        steps: [
          compose('stop', ...ROLES),
          compose('run', '--rm', '--no-deps', 'processors', 'replay', ...(verify ? ['--verify'] : [])),
        ],
        lastStep: compose('up', '--detach'),
        list,
      };
  }
}
