import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { parseToken } from '../../../control/token.ts';
import { runStackCommand, stack } from '../commands/stack.ts';
import { addDemo, brokersOf, clusterIdOf, environmentFor, ownerOf, writeStackFiles } from './files.ts';
import { planStack } from './plan.ts';

const MOUNTED_FILES = ['edge/nginx.conf', 'observability/grafana/dashboard.json'];

describe('the files of the stack', () => {
  let folder: string;
  const caller = { uid: process.getuid!(), gid: process.getgid!() };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'parallax-stack-'));
    writeFileSync(
      join(folder, '.env.example'),
      '# A comment.\nPARALLAX_UID=1\nPARALLAX_GID=1\nKAFKA_CLUSTER_ID=x\nPARALLAX_BROKERS=1\n',
    );
    mkdirSync(join(folder, 'observability/grafana'), { recursive: true, mode: 0o700 });
    mkdirSync(join(folder, 'edge'), { mode: 0o700 });
    for (const name of MOUNTED_FILES) writeFileSync(join(folder, name), '', { mode: 0o600 });
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const modeOf = (name: string) => statSync(join(folder, name)).mode & 0o777;
  const textOf = (name: string) => readFileSync(join(folder, 'secrets', name), 'utf8');

  it('are readable for their owner only', () => {
    writeStackFiles(folder, caller, 3);
    for (const name of ['.env', ...readdirSync(join(folder, 'secrets')).map((secret) => join('secrets', secret))]) {
      const { mode, uid } = statSync(join(folder, name));
      expect([name, mode & 0o777, uid]).toEqual([name, 0o600, ownerOf(caller).uid]);
    }
    expect(statSync(join(folder, 'secrets')).mode & 0o777).toBe(0o700);
  });

  it('contain a valid admin token, and the hash of the password of ClickHouse', () => {
    writeStackFiles(folder, caller, 3);
    expect(parseToken(textOf('admin_token'))).toMatchObject({ sandbox: false });
    const hash = createHash('sha256').update(textOf('clickhouse_password')).digest('hex');
    expect(textOf('clickhouse_users.xml')).toContain(`<password_sha256_hex>${hash}</password_sha256_hex>`);
  });

  it('are not taken from a folder, which Docker makes in place of a file that is missing', () => {
    mkdirSync(join(folder, 'secrets', 'grafana_password'), { recursive: true });
    expect(() => writeStackFiles(folder, caller, 3)).toThrow(/grafana_password is a folder .* rmdir/);
  });

  it('stay as they are when they exist', () => {
    writeStackFiles(folder, caller, 3);
    const before = textOf('admin_token');
    const environment = readFileSync(join(folder, '.env'), 'utf8');
    writeStackFiles(folder, caller, 3);
    expect(textOf('admin_token')).toBe(before);
    expect(readFileSync(join(folder, '.env'), 'utf8')).toBe(environment);
  });

  it('have the hash of another password, if the password was changed since', () => {
    writeStackFiles(folder, caller, 3);
    writeFileSync(join(folder, 'secrets/clickhouse_password'), 'another\n');
    writeStackFiles(folder, caller, 3);
    expect(textOf('clickhouse_users.xml')).toContain(createHash('sha256').update('another').digest('hex'));
    expect(modeOf('secrets/clickhouse_users.xml')).toBe(0o600);
  });

  it('that containers mount can be read by every user, also after a checkout with a strict umask', () => {
    writeStackFiles(folder, caller, 3);
    for (const name of MOUNTED_FILES) expect([name, modeOf(name)]).toEqual([name, 0o644]);
    for (const name of ['edge', 'observability', 'observability/grafana'])
      expect([name, modeOf(name)]).toEqual([name, 0o755]);
  });

  it('name no Kafka cluster with an id that begins with a hyphen, which would be read as an option', () => {
    for (let first = 0; first < 256; first++) {
      const id = clusterIdOf(Buffer.alloc(16, first));
      expect(id).toMatch(/^[A-Za-z0-9_][\w-]{21}$/);
      expect(Buffer.from(id, 'base64url')).toHaveLength(16);
    }
  });

  it('remember how many brokers the stack was created with', () => {
    expect(brokersOf(folder)).toBeNull();
    writeStackFiles(folder, caller, 3);
    writeStackFiles(folder, caller, 1);
    expect(brokersOf(folder)).toBe(3);
  });

  it('remember the webhook receiver, also in a file from before there was one', () => {
    writeStackFiles(folder, caller, 1);
    addDemo(folder);
    addDemo(folder);
    const lines = readFileSync(join(folder, '.env'), 'utf8').split('\n');
    for (const line of ['COMPOSE_PROFILES=demo', 'PARALLAX_WEBHOOK_ALLOW_LOOPBACK=1', 'PARALLAX_BROKERS=1'])
      expect(lines.filter((one) => one === line)).toEqual([line]);
  });

  it('name the owner of the secrets as the user of the containers, never root', () => {
    expect(ownerOf({ uid: 0, gid: 0 })).toEqual({ uid: 1000, gid: 1000 });
    expect(ownerOf({ uid: 501, gid: 20 })).toEqual({ uid: 501, gid: 20 });
    const text = environmentFor('A=1\n# B=1\nB=1\n', { A: 501, B: 20 });
    expect(text).toBe('A=501\n# B=1\nB=20\n');
  });
});

describe('the commands of the stack', () => {
  const words = (options: Parameters<typeof planStack>[0]) => {
    const { steps, starts, startsAnyway } = planStack(options);
    const short = (step: readonly string[]) =>
      step.join(' ').replace('--project-name parallax --project-directory infra --env-file infra/.env', '…');
    return {
      steps: steps.map(short),
      starts: starts.map(({ up, list }) => ({ up: short(up), list: short(list) })),
      startsAnyway,
    };
  };
  /** What waits for no role starts first: a role may be unhealthy only because another one is dead. */
  const starts = (files: string) => [
    {
      up: `${files} up --detach ingest processors query-api stream-gateway prometheus grafana`,
      list: `${files} ps --quiet ingest processors query-api stream-gateway`,
    },
    { up: `${files} up --detach`, list: `${files} ps --quiet` },
  ];

  it('build the image once and start everything, the roles first', () => {
    const files = '… --file infra/docker-compose.yml';
    expect(words({ action: 'up', threeBrokers: false, verify: false, hasOverride: false })).toEqual({
      steps: [`${files} build processors`],
      starts: starts(files),
      startsAnyway: false,
    });
  });

  it('stop everything, whichever files it was started with, and keep the volumes', () => {
    expect(words({ action: 'down', threeBrokers: false, verify: false, hasOverride: false })).toEqual({
      steps: ['… --file infra/docker-compose.yml --file infra/docker-compose.three-brokers.yml down'],
      starts: [],
      startsAnyway: false,
    });
  });

  it('stop the roles for a replay, and start them again even if it finds differences, with the files of this machine', () => {
    const files =
      '… --file infra/docker-compose.yml --file infra/docker-compose.three-brokers.yml --file infra/docker-compose.override.yml';
    expect(words({ action: 'replay', threeBrokers: true, verify: true, hasOverride: true })).toEqual({
      steps: [
        `${files} stop ingest processors query-api stream-gateway`,
        `${files} run --rm --no-deps processors replay --verify`,
      ],
      starts: starts(files),
      startsAnyway: true,
    });
  });
});

describe('npm run stack', () => {
  afterEach(() => vi.unstubAllEnvs());

  it.each([
    [['backup'], /^unexpected argument "backup"; accepted: up, down, replay, or compose as the first$/],
    [['down', 'now'], /^unexpected argument "now"/],
    [['--verify'], /^--verify is for replay only/],
  ])('refuses %j', async (argv, message) => {
    await expect(stack.run(argv)).rejects.toThrow(message);
  });

  it('reads no variables for the switches of one command', async () => {
    vi.stubEnv('PARALLAX_STACK_VERIFY', '1');
    vi.stubEnv('PATH', '/missing');
    await expect(stack.run([])).rejects.toThrow(/^Docker is missing/);
  });

  it.each(['--demo', '--three-brokers'])('refuses %s where nothing is created', async (flag) => {
    await expect(stack.run(['down', flag])).rejects.toThrow(`${flag} is for starting only`);
  });

  it('says in one line that Docker is missing', async () => {
    vi.stubEnv('PATH', '/missing');
    await expect(stack.run([])).rejects.toThrow(/^Docker is missing: .*; install Docker Engine/);
  });

  describe('with a Docker', () => {
    let root: string;
    let printed: string[];
    beforeEach(() => {
      root = mkdtempSync(join(tmpdir(), 'parallax-root-'));
      for (const name of ['edge', 'observability']) mkdirSync(join(root, 'infra', name), { recursive: true });
      writeFileSync(join(root, 'infra', '.env.example'), 'PARALLAX_BIND=127.0.0.1\nPARALLAX_BROKERS=1\n');
      vi.stubEnv('PATH', `${root}:${process.env.PATH}`);
      printed = [];
      for (const name of ['log', 'error'] as const)
        vi.spyOn(console, name).mockImplementation((line: string) => void printed.push(line));
    });
    afterEach(() => {
      vi.restoreAllMocks();
      rmSync(root, { recursive: true, force: true });
    });
    /** A Docker that notes what compose is run with, and for the rest does as these lines of a shell say. */
    const installDocker = (...script: string[]) => {
      const noted = `[ "$1" = compose ] && [ "$2" != version ] && echo "$*" >> ${join(root, 'runs')}`;
      writeFileSync(join(root, 'docker'), ['#!/bin/sh', noted, ...script, 'exit 0', ''].join('\n'), { mode: 0o755 });
    };
    const runs = () =>
      readFileSync(join(root, 'runs'), 'utf8')
        .trim()
        .split('\n')
        .map((line) => line.replace(/.* --env-file infra\/.env /, ''));
    /** What `docker inspect` prints of a container. */
    const inspect = (...states: (readonly [string, string, string, number, number])[]) =>
      `[ "$1" = inspect ] && printf '${states.map((state) => `/${state.join('\t')}\n`).join('')}'`;
    const LIST = 'case "$*" in *" ps --quiet"*) echo id;; esac';
    const HEALTHY = inspect(['parallax-ingest-1', 'running', 'healthy', 0, 0]);
    const writeEnvironment = (text: string) => writeFileSync(join(root, 'infra', '.env'), text);

    it('quotes in one line why it does not answer', async () => {
      installDocker('[ "$1" = compose ] && exit 0', 'printf "Client:\\n" ; printf "permission denied\\n" >&2; exit 1');
      await expect(stack.run([])).rejects.toThrow(/^Docker does not answer \(permission denied\); start it, .*$/);
    });

    it('runs compose with the files of the stack, passes its exit code on and prints nothing', async () => {
      writeEnvironment('PARALLAX_BROKERS=3\n');
      writeFileSync(join(root, 'infra', 'docker-compose.override.yml'), '');
      installDocker('[ "$1 $2" = "compose version" ] && exit 0', '[ "$1" = compose ] && exit 7');
      expect(await runStackCommand(root, ['compose', 'logs', '--tail', '1', '--help'])).toBe(7);
      expect(runs()).toEqual([
        '--file infra/docker-compose.yml --file infra/docker-compose.three-brokers.yml --file infra/docker-compose.override.yml logs --tail 1 --help',
      ]);
      expect(printed).toEqual([]);
    });

    it.each([['down'], ['replay'], ['compose', 'ps']])(
      'writes no files for %s, which refuses to run without',
      async (...argv) => {
        installDocker();
        await expect(runStackCommand(root, argv)).rejects.toThrow('there is no stack, since infra/.env is missing');
        expect(readdirSync(join(root, 'infra')).sort()).toEqual(['.env.example', 'edge', 'observability']);
      },
    );

    it('prints the address on which compose publishes, which an exported variable changes', async () => {
      installDocker(LIST, HEALTHY);
      expect(await runStackCommand(root, [])).toBe(0);
      expect(printed).toContain('Prometheus  http://127.0.0.1:9090');
      vi.stubEnv('PARALLAX_BIND', '192.0.2.1');
      expect(await runStackCommand(root, [])).toBe(0);
      expect(printed).toContain('Prometheus  http://192.0.2.1:9090');
    });

    it('accepts a service without a health check, and prints how many are healthy once', async () => {
      installDocker(
        LIST,
        inspect(
          ['parallax-ingest-1', 'running', 'healthy', 0, 3],
          ['own-1', 'running', '', 0, 0],
          ['own-2', 'exited', '', 0, 0],
        ),
      );
      expect(await runStackCommand(root, [])).toBe(0);
      expect(printed.filter((line) => line.includes('services'))).toEqual(Array(2).fill('3 of 3 services are healthy'));
    });

    it.each([
      [2, 0],
      [1, 5],
    ])(
      'gives up on a container that ends with %i after %i restarts, with the last line of its log',
      async (code, more) => {
        // Restarts from before do not count.
        const before = inspect(['parallax-ingest-1', 'running', 'starting', 0, 4]);
        const after = inspect(['parallax-ingest-1', 'restarting', 'starting', code, 4 + more]);
        const seen = join(root, 'seen');
        installDocker(
          LIST,
          '[ "$1" = logs ] && echo "parallax start: PARALLAX_VENUES cannot be x" >&2',
          `if [ -e ${seen} ]; then ${after}; else ${before}; fi`,
          `[ "$1" = inspect ] && touch ${seen}`,
        );
        await expect(runStackCommand(root, [])).rejects.toThrow(
          `parallax-ingest-1 ends with exit code ${code} again and again: parallax start: PARALLAX_VENUES cannot be x`,
        );
        expect(printed.filter((line) => line.includes('services'))).toEqual(['0 of 1 services are healthy']);
      },
    );

    it('starts the roles again if Ctrl-C ends a replay', async () => {
      writeEnvironment('PARALLAX_BROKERS=1\n');
      // Ctrl-C reaches both processes.
      installDocker(`case "$*" in *" replay"*) kill -INT ${process.pid}; kill -INT $$; sleep 5;; esac`, LIST, HEALTHY);
      const listeners = process.listenerCount('SIGINT');
      expect(await runStackCommand(root, ['replay'])).toBe(130);
      expect(runs().map((run) => run.split(' ')[2])).toEqual(['stop', 'run', 'up', 'ps', 'up', 'ps']);
      expect(printed).toContain('starting the roles again');
      expect(printed).toContainEqual(expect.stringMatching(/^interrupted: what the replay dropped/));
      expect(process.listenerCount('SIGINT')).toBe(listeners);
    });

    it('prints how to start the roles if that is ended, too', async () => {
      writeEnvironment('PARALLAX_BROKERS=1\n');
      installDocker('case "$*" in *" replay"*|*" up "*) exit 130;; esac', LIST, HEALTHY);
      expect(await runStackCommand(root, ['replay'])).toBe(130);
      expect(printed.at(-1)).toBe('not every role is running; npm run stack starts them');
    });
  });
});
