/** The commands that the stack is run with, as lists of arguments of `docker compose`. */

/** Decides which files the stack consists of. */
export interface StackFiles {
  readonly threeBrokers: boolean;
  /** True if there is a file of the operator's own that is laid over the others. */
  readonly hasOverride: boolean;
}

export interface StackOptions extends StackFiles {
  readonly action: 'up' | 'down' | 'replay';
  /** For `replay`. */
  readonly verify: boolean;
}

const BASE_FILE = 'infra/docker-compose.yml';
const THREE_BROKERS_FILE = 'infra/docker-compose.three-brokers.yml';
/** Below the root of the project. Compose uses a file of this name by itself only if it is passed no others. */
export const OVERRIDE_FILE = 'infra/docker-compose.override.yml';
/** Every role writes to the log, so a replay stops all of them. */
const ROLES = ['ingest', 'processors', 'query-api', 'stream-gateway'];
/**
 * With what these depend on, every service that waits for no role. A role is not healthy while another one is dead,
 * since its data gets old, and compose refuses to start what waits for an unhealthy container. So these start first,
 * and the rest once the roles are healthy.
 */
const STARTED_FIRST = [...ROLES, 'prometheus', 'grafana'];

/** What to run, in this order, from the root of the project. */
export interface StackPlan {
  readonly steps: readonly (readonly string[])[];
  /** Starts services, each part only after everything of the one before is healthy. */
  readonly starts: readonly StackStart[];
  /** True if services start even if one of the steps fails. */
  readonly startsAnyway: boolean;
}

export interface StackStart {
  readonly up: readonly string[];
  /** Lists the containers that must be healthy afterwards. */
  readonly list: readonly string[];
}

/** The options of compose that make every command one on the same stack. */
export function composeOptions({ threeBrokers, hasOverride }: StackFiles): string[] {
  const files = [BASE_FILE, ...(threeBrokers ? [THREE_BROKERS_FILE] : []), ...(hasOverride ? [OVERRIDE_FILE] : [])];
  return [
    ...['--project-name', 'parallax', '--project-directory', 'infra', '--env-file', 'infra/.env'],
    ...files.flatMap((file) => ['--file', file]),
  ];
}

export function planStack({ action, threeBrokers, verify, hasOverride }: StackOptions): StackPlan {
  // Stopping removes the containers of either kind.
  const options = composeOptions({ threeBrokers: threeBrokers || action === 'down', hasOverride });
  const compose = (...args: string[]) => [...options, ...args];
  const starts = [
    { up: compose('up', '--detach', ...STARTED_FIRST), list: compose('ps', '--quiet', ...ROLES) },
    { up: compose('up', '--detach'), list: compose('ps', '--quiet') },
  ];
  switch (action) {
    case 'up':
      // The roles have the same image, so one of them builds it for all.
      return { steps: [compose('build', 'processors')], starts, startsAnyway: false };
    case 'down':
      return { steps: [compose('down')], starts: [], startsAnyway: false };
    case 'replay':
      return {
        steps: [
          compose('stop', ...ROLES),
          compose('run', '--rm', '--no-deps', 'processors', 'replay', ...(verify ? ['--verify'] : [])),
        ],
        starts,
        startsAnyway: true,
      };
  }
}
