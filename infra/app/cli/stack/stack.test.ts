import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { parseToken } from '../../../control/token.ts';
import { stack } from '../commands/stack.ts';
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
    [['backup'], /^unexpected argument "backup"; accepted: up, down, replay$/],
    [['down', 'now'], /^unexpected argument "now"/],
    [['--verify'], /^--verify is for replay only/],
  ])('refuses %j', async (argv, message) => {
    await expect(stack.run(argv)).rejects.toThrow(message);
  });

  it('says in one line that Docker is missing', async () => {
    vi.stubEnv('PATH', '/missing');
    await expect(stack.run([])).rejects.toThrow(/^Docker is missing: .*; install Docker Engine/);
  });

  it('quotes in one line why Docker does not answer', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'parallax-docker-'));
    try {
      const script =
        '#!/bin/sh\n[ "$1" = compose ] && exit 0\nprintf "Client:\\n" ; printf "permission denied\\n" >&2; exit 1\n';
      writeFileSync(join(folder, 'docker'), script, { mode: 0o755 });
      vi.stubEnv('PATH', folder);
      await expect(stack.run([])).rejects.toThrow(/^Docker does not answer \(permission denied\); start it, .*$/);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
