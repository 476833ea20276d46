import { existsSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { readSettings, SettingError, switchSetting } from '../../../config/declare.ts';
import { settingsHelp } from '../../../config/help.ts';
import type { Command } from '../command.ts';
import { type Compose, findCompose, runCommand, waitUntilHealthy } from '../stack/docker.ts';
import { addDemo, brokersOf, writeStackFiles } from '../stack/files.ts';
import { OVERRIDE_FILE, planStack, type StackOptions, type StackStart } from '../stack/plan.ts';

const ACTIONS = ['up', 'down', 'replay'] as const;
const USAGE = 'npm run stack -- [up | down | replay] [settings]';
/** npm runs its scripts in the root of the project. */
const ROOT = process.cwd();
const INFRA = join(ROOT, 'infra');

const STACK_SETTINGS = {
  threeBrokers: switchSetting({
    flag: 'three-brokers',
    variable: 'PARALLAX_STACK_THREE_BROKERS',
    fallback: false,
    description: 'Create the stack with three brokers, so that one of them may fail. Later commands remember it.',
  }),
  demo: switchSetting({
    flag: 'demo',
    variable: 'PARALLAX_STACK_DEMO',
    fallback: false,
    description: 'Add a receiver of webhooks that verifies their signatures. Later commands remember it.',
  }),
  verify: switchSetting({
    flag: 'verify',
    variable: 'PARALLAX_STACK_VERIFY',
    fallback: false,
    description: 'With replay: compare instead of rebuilding; exit code 1 if something differs.',
  }),
  print: switchSetting({
    flag: 'print',
    variable: 'PARALLAX_STACK_PRINT',
    fallback: false,
    description: 'Only print the commands.',
  }),
};

/** Runs the service on Kafka and ClickHouse in containers (`infra/docker-compose.yml`). */
export const stack: Command = {
  async run(argv) {
    if (argv.includes('--help')) {
      console.log(`${USAGE}\n\n${settingsHelp(STACK_SETTINGS)}`);
      return 0;
    }
    const { values, positionals } = readSettings(STACK_SETTINGS, argv, process.env);
    const action = actionOf(positionals);
    if (values.verify && action !== 'replay')
      throw new SettingError('--verify is for replay only; accepted: npm run stack -- replay --verify');
    const brokers = brokersOf(INFRA);
    if (values.threeBrokers && brokers === 1)
      throw new SettingError(
        '--three-brokers does not fit the stack, which was created with one broker (PARALLAX_BROKERS in infra/.env)',
      );
    const hasOverride = existsSync(join(ROOT, OVERRIDE_FILE));
    const options = { ...values, action, threeBrokers: values.threeBrokers || brokers === 3, hasOverride };
    if (values.print) {
      for (const line of printedCommands(options)) console.log(line);
      return 0;
    }
    return runStack(options);
  },
};

function actionOf(positionals: readonly string[]): StackOptions['action'] {
  const [word = 'up', ...more] = positionals;
  const action = ACTIONS.find((one) => one === word);
  if (!action || more.length > 0)
    throw new SettingError(`unexpected argument ${JSON.stringify(more[0] ?? word)}; accepted: ${ACTIONS.join(', ')}`);
  return action;
}

function printedCommands(options: StackOptions): string[] {
  const { steps, starts } = planStack(options);
  return [...steps, ...starts.map(({ up }) => up)].map((step) => ['docker compose', ...step].join(' '));
}

async function runStack(options: StackOptions & { readonly demo: boolean }): Promise<number> {
  const compose = findCompose();
  const { uid, gid } = userInfo();
  writeStackFiles(INFRA, { uid, gid }, options.threeBrokers ? 3 : 1);
  if (options.demo) addDemo(INFRA);
  const { steps, starts, startsAnyway } = planStack(options);
  let code = 0;
  for (const step of steps) {
    code = await runCommand([...compose, ...step], ROOT);
    if (code !== 0) break;
  }
  if (code !== 0 && !startsAnyway) return code;
  for (const start of starts) {
    const startCode = await startAndWait(compose, start);
    if (startCode !== 0) return code || startCode;
  }
  if (code === 0 && starts.length > 0)
    for (const line of addresses(readFileSync(join(INFRA, '.env'), 'utf8'))) console.log(line);
  return code;
}

/** Resolves with an exit code. */
async function startAndWait(compose: Compose, { up, list }: StackStart): Promise<number> {
  const code = await runCommand([...compose, ...up], ROOT);
  if (code !== 0) return code;
  const unhealthy = await waitUntilHealthy(compose, list, ROOT, (healthy, total) =>
    console.log(`${healthy} of ${total} services are healthy`),
  );
  if (unhealthy.length === 0) return 0;
  console.error(`not healthy: ${unhealthy.join(', ')}; docker logs <name> says why`);
  return 1;
}

function addresses(environment: string): string[] {
  const host = /^PARALLAX_BIND=(.+)$/m.exec(environment)?.[1] ?? '127.0.0.1';
  return [
    `REST        http://${host}:8080 (admin token in infra/secrets/admin_token)`,
    `WebSocket   ws://${host}:8080/v1/stream`,
    `Prometheus  http://${host}:9090`,
    `Grafana     http://${host}:3000 (user admin, password in infra/secrets/grafana_password)`,
  ];
}
