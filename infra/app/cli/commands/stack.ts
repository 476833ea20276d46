import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { readSettings, SettingError, switchSetting } from '../../../config/declare.ts';
import { settingsHelp } from '../../../config/help.ts';
import type { Command } from '../command.ts';
import { type Compose, findCompose, runCommand, waitUntilHealthy } from '../stack/docker.ts';
import { addDemo, brokersOf, effectiveValue, writeStackFiles } from '../stack/files.ts';
import { composeOptions, OVERRIDE_FILE, planStack, type StackOptions, type StackStart } from '../stack/plan.ts';

const ACTIONS = ['up', 'down', 'replay'] as const;
const USAGE = `npm run stack -- [up | down | replay] [settings]
npm run stack -- compose <arguments>
    runs docker compose on the stack, for example: compose ps, compose logs --tail 100 processors`;

const STACK_SETTINGS = {
  threeBrokers: switchSetting({
    flag: 'three-brokers',
    variable: null,
    fallback: false,
    description: 'Create the stack with three brokers, so that one of them may fail. Later commands remember it.',
  }),
  demo: switchSetting({
    flag: 'demo',
    variable: null,
    fallback: false,
    description: 'Add a receiver of webhooks that verifies their signatures. Later commands remember it.',
  }),
  verify: switchSetting({
    flag: 'verify',
    variable: null,
    fallback: false,
    description: 'With replay: compare instead of rebuilding; exit code 1 if something differs.',
  }),
  print: switchSetting({
    flag: 'print',
    variable: null,
    fallback: false,
    description: 'Only print the commands.',
  }),
};

/** Runs the service on Kafka and ClickHouse in containers (`infra/docker-compose.yml`). */
export const stack: Command = {
  run(argv) {
    // npm runs its scripts in the root of the project.
    return runStackCommand(process.cwd(), argv);
  },
};

/**
 * @param root folder of the project.
 * @returns the exit code.
 */
export async function runStackCommand(root: string, argv: readonly string[]): Promise<number> {
  const infra = join(root, 'infra');
  const brokers = brokersOf(infra);
  const hasOverride = existsSync(join(root, OVERRIDE_FILE));
  if (argv[0] === 'compose') {
    refuseWithoutFiles(infra);
    const options = composeOptions({ threeBrokers: brokers === 3, hasOverride });
    return runCommand([...findCompose(), ...options, ...argv.slice(1)], root);
  }
  if (argv.includes('--help')) {
    console.log(`${USAGE}\n\n${settingsHelp(STACK_SETTINGS)}`);
    return 0;
  }
  const { values, positionals } = readSettings(STACK_SETTINGS, argv, process.env);
  const action = actionOf(positionals);
  if (values.verify && action !== 'replay')
    throw new SettingError('--verify is for replay only; accepted: npm run stack -- replay --verify');
  for (const flag of ['threeBrokers', 'demo'] as const)
    if (values[flag] && action !== 'up')
      throw new SettingError(`--${STACK_SETTINGS[flag].flag} is for starting only; later commands remember it`);
  if (values.threeBrokers && brokers === 1)
    throw new SettingError(
      '--three-brokers does not fit the stack, which was created with one broker (PARALLAX_BROKERS in infra/.env)',
    );
  const options = { ...values, action, threeBrokers: values.threeBrokers || brokers === 3, hasOverride };
  if (values.print) {
    for (const line of printedCommands(options)) console.log(line);
    return 0;
  }
  return runStack(root, infra, options);
}

function actionOf(positionals: readonly string[]): StackOptions['action'] {
  const [word = 'up', ...more] = positionals;
  const action = ACTIONS.find((one) => one === word);
  if (!action || more.length > 0)
    throw new SettingError(
      `unexpected argument ${JSON.stringify(more[0] ?? word)}; accepted: ${ACTIONS.join(', ')}, or compose as the first`,
    );
  return action;
}

/** Exit code of a command that Ctrl-C ended. */
const INTERRUPTED = 130;

function printedCommands(options: StackOptions): string[] {
  const { steps, starts } = planStack(options);
  return [...steps, ...starts.map(({ up }) => up)].map((step) => ['docker compose', ...step].join(' '));
}

/** Only a start writes the files: they fix how many brokers the stack has. */
function refuseWithoutFiles(infra: string): void {
  if (!existsSync(join(infra, '.env')))
    throw new SettingError('there is no stack, since infra/.env is missing; npm run stack creates both');
}

async function runStack(
  root: string,
  infra: string,
  options: StackOptions & { readonly demo: boolean },
): Promise<number> {
  const compose = findCompose();
  if (options.action === 'up') {
    const { uid, gid } = userInfo();
    writeStackFiles(infra, { uid, gid }, options.threeBrokers ? 3 : 1);
    if (options.demo) addDemo(infra);
  } else refuseWithoutFiles(infra);
  const { steps, starts, startsAnyway } = planStack(options);
  let code = 0;
  for (const step of steps) {
    code = await runCommand([...compose, ...step], root);
    if (code !== 0) break;
  }
  if (code !== 0 && !startsAnyway) return code;
  if (startsAnyway) {
    if (code === INTERRUPTED && !options.verify)
      console.error(
        'interrupted: what the replay dropped is derived again by the processors, which are behind until then',
      );
    console.error('starting the roles again');
  }
  for (const start of starts) {
    const startCode = await startAndWait(compose, start, root);
    if (startCode === 0) continue;
    if (startsAnyway) console.error('not every role is running; npm run stack starts them');
    return code || startCode;
  }
  if (code === 0 && starts.length > 0) for (const line of addresses(infra)) console.log(line);
  return code;
}

/** Resolves with an exit code. */
async function startAndWait(compose: Compose, { up, list }: StackStart, root: string): Promise<number> {
  const code = await runCommand([...compose, ...up], root);
  if (code !== 0) return code;
  const unhealthy = await waitUntilHealthy(compose, list, root);
  if (unhealthy.length === 0) return 0;
  console.error(`not healthy: ${unhealthy.join(', ')}; docker logs <name> says why`);
  return 1;
}

function addresses(infra: string): string[] {
  const host = effectiveValue(infra, 'PARALLAX_BIND') || '127.0.0.1';
  return [
    `REST        http://${host}:8080 (admin token in infra/secrets/admin_token)`,
    `WebSocket   ws://${host}:8080/v1/stream`,
    `Prometheus  http://${host}:9090`,
    `Grafana     http://${host}:3000 (user admin, password in infra/secrets/grafana_password)`,
  ];
}
