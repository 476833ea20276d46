/** The files of the stack: Dockerfile, compose files, edge, alerts and dashboards. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { SOCKET_SOURCES } from '#schemas/venues/streams';
import { createMetrics } from '../../telemetry/metrics.ts';
import { measureProcess } from '../../telemetry/process-metrics.ts';
import { writeStackFiles } from '../cli/stack/files.ts';
import { planStack } from '../cli/stack/plan.ts';
import { metricsIn, readAlerts, readExpressions, readPanels, unknownLabels } from './expressions.ts';
import { PROJECT_ROOT } from './sources.ts';

const INFRA = join(PROJECT_ROOT, 'infra');
const OBSERVABILITY = join(INFRA, 'observability');
const BASE = 'docker-compose.yml';
const THREE_BROKERS = 'docker-compose.three-brokers.yml';
const read = (...path: string[]) => readFileSync(join(INFRA, ...path), 'utf8');

interface Service {
  readonly healthcheck: Readonly<Record<'interval' | 'timeout' | 'retries' | 'start_period', string | number>>;
  readonly mem_limit: string;
  readonly cpus: number;
  readonly restart: string;
  readonly stop_grace_period: string;
  readonly read_only: boolean;
  readonly cap_drop: readonly string[];
  readonly security_opt: readonly string[];
  readonly ports?: readonly string[];
  readonly environment?: Readonly<Record<string, unknown>>;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
}
/** A service of the overlay, which may be like one of the base file. */
type Added = Partial<Service> & { readonly extends?: { readonly service: string } };
interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}
const compose = (file: string) => parse(read(file), { merge: true }) as ComposeFile;

/** Runs a tool, and fails with its output unless it succeeds. */
function expectSuccess(command: string, args: readonly string[], cwd: string = INFRA): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8', timeout: 60_000 });
  expect(status, `${command} ${args.join(' ')}\n${stdout}\n${stderr}`).toBe(0);
  return stdout;
}
/** The sentence with which tests of a tool are skipped; null if it is installed. */
function toolMissing(command: string, argument: string): string | null {
  const isThere = spawnSync(command, [argument], { stdio: 'ignore' }).status === 0;
  return isThere ? null : `needs ${command} on the PATH`;
}

describe('every service', () => {
  const { services } = compose(BASE);
  const added = Object.entries(compose(THREE_BROKERS).services as Readonly<Record<string, Added>>)
    .filter(([name]) => !(name in services))
    .map(
      ([name, { extends: base, ...own }]) =>
        [name, { ...(base && services[base.service]), ...own } as Service] as const,
    );

  it.each([...Object.entries(services), ...added])(
    '%s is limited, checked and cannot change its image',
    (_, service) => {
      expect(service).toMatchObject({
        healthcheck: expect.objectContaining({ test: expect.any(Array) }),
        mem_limit: expect.any(String),
        cpus: expect.any(Number),
        restart: 'unless-stopped',
        stop_grace_period: expect.stringMatching(/^\d+s$/),
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
      for (const { condition } of Object.values(service.depends_on ?? {})) expect(condition).toBe('service_healthy');
    },
  );

  it('starts first, by npm run stack, unless it waits for a role', () => {
    const needs = (name: string): string[] =>
      Object.keys(services[name]?.depends_on ?? {}).flatMap((one) => [one, ...needs(one)]);
    const { starts } = planStack({ action: 'up', threeBrokers: false, verify: false, hasOverride: false });
    const { up } = starts[0]!;
    const first = up.slice(up.indexOf('--detach') + 1);
    const roles = Object.keys(services).filter((name) => /PARALLAX_ROLES/.test(JSON.stringify(services[name])));
    const waiting = Object.keys(services).filter((name) => needs(name).some((one) => roles.includes(one)));
    expect(waiting.sort()).toEqual(['edge', 'webhook-receiver']);
    const started = new Set(first.flatMap((name) => [name, ...needs(name)]));
    const others = Object.keys(services).filter((name) => !waiting.includes(name));
    expect([...started].sort()).toEqual(others.sort());
  });

  it('publishes no more than three ports, on the address of the settings', () => {
    const ports = [...Object.values(services), ...added.map(([, service]) => service)].flatMap(
      ({ ports = [] }) => ports,
    );
    expect(ports.sort()).toEqual(['3000:3000', '8080:8080', '9090:9090'].map((port) => `\${PARALLAX_BIND}:${port}`));
  });

  it('gets its secrets as files', () => {
    for (const [name, { environment = {} }] of Object.entries(services))
      for (const [variable, value] of Object.entries(environment))
        if (/PASSWORD|TOKEN|SECRET/.test(variable))
          expect(value, `${name} ${variable}`).toMatch(/^\/run\/secrets\/\w+$/);
  });

  it('has its variables in the example', () => {
    const named = [BASE, THREE_BROKERS].flatMap((file) =>
      [...read(file).matchAll(/\$\{(\w+)(?::-[^}]*)?\}/g)].map(([, name]) => name),
    );
    const declared = [...read('.env.example').matchAll(/^(\w+)=/gm)].map(([, name]) => name);
    // The number of brokers is for npm run stack, the profiles are for compose.
    expect([...new Set([...named, 'PARALLAX_BROKERS', 'COMPOSE_PROFILES'])].sort()).toEqual(declared.sort());
  });
});

describe('the files that npm run stack writes', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'parallax-stack-'));
    for (const name of ['.env.example', BASE, THREE_BROKERS, 'edge', 'observability'])
      cpSync(join(INFRA, name), join(folder, name), { recursive: true });
    writeStackFiles(folder, { uid: process.getuid!(), gid: process.getgid!() }, 1);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const missing = toolMissing('docker-compose', 'version');
  it.skipIf(missing !== null)(
    missing ?? 'make every combination of the compose files valid, with the demo and with an override',
    () => {
      cpSync(join(INFRA, 'testing/stack/override.yml'), join(folder, 'override.yml'));
      const valid = (files: readonly string[], ...options: string[]) =>
        expectSuccess(
          'docker-compose',
          [...files.flatMap((file) => ['-f', file]), ...options, 'config', '--quiet'],
          folder,
        );
      for (const files of [[BASE], [BASE, THREE_BROKERS]]) {
        valid(files);
        valid([...files, 'override.yml'], '--profile', 'demo');
      }
    },
  );

  it.skipIf(missing !== null)(missing ?? 'fit the overrides that the documents show', () => {
    const blocks = ['docs/runbook.md', 'infra/docker/README.md'].flatMap((page) => {
      const text = readFileSync(join(PROJECT_ROOT, page), 'utf8');
      return [...text.matchAll(/^```yaml\n# infra\/docker-compose\.override\.yml\n([\s\S]*?)^```$/gm)].map(
        ([, block]) => block!,
      );
    });
    expect(blocks).toHaveLength(3);
    const names = blocks.map((block, index) => {
      // Compose would take a misspelt service for a new one.
      for (const name of Object.keys((parse(block, { merge: true }) as ComposeFile).services))
        expect(compose(BASE).services).toHaveProperty(name);
      writeFileSync(join(folder, `override-${index}.yml`), block);
      return `override-${index}.yml`;
    });
    // All at once, since each run of the program costs a second.
    expectSuccess('docker-compose', [...[BASE, ...names].flatMap((name) => ['-f', name]), 'config', '--quiet'], folder);
  });

  it('contain every secret', () => {
    const files = Object.values(compose(BASE).secrets).map(({ file }) => file.replace('./secrets/', ''));
    expect(readdirSync(join(folder, 'secrets')).sort()).toEqual(files.sort());
  });
});

describe('the Dockerfiles', () => {
  it('of the roles check their health as the compose file does', () => {
    const { interval, timeout, retries, start_period } = compose(BASE).services.ingest!.healthcheck;
    expect(read('docker/Dockerfile')).toContain(
      `HEALTHCHECK --interval=${interval} --timeout=${timeout} --start-period=${start_period} --retries=${retries} `,
    );
  });

  const missing = toolMissing('hadolint', '--version');
  it.skipIf(missing !== null)(missing ?? 'have nothing that hadolint warns of', () => {
    const files = ['docker/Dockerfile', 'testing/stack/Dockerfile'];
    expectSuccess('hadolint', ['--failure-threshold', 'warning', ...files]);
  });
});

describe('the edge', () => {
  it('logs no query, in which a token may be', () => {
    const configuration = read('edge/nginx.conf');
    expect(configuration.match(/\$(request|request_uri|args|query_string|arg_\w+)\b/g)).toBeNull();
    expect([...configuration.matchAll(/error_log .* (\w+);/g)].map(([, level]) => level)).toEqual(['emerg']);
  });

  const missing = toolMissing('nginx', '-v');
  it.skipIf(missing !== null)(missing ?? 'has a valid configuration', () => {
    // nginx opens /dev/stderr, which must not be a socket as it is for a child of this process.
    const script = 'output=$(nginx -t -c "$0" 2>&1) || { echo "$output"; exit 1; }';
    expectSuccess('sh', ['-c', script, join(INFRA, 'edge/nginx.conf')]);
  });
});

describe('alerts and dashboards', () => {
  const alerts = readAlerts();
  const expressions = readExpressions();
  const metrics = createMetrics();
  measureProcess(metrics, 'node');

  it('name metrics that a process has', async () => {
    const exported = new Set((await metrics.registry.getMetricsAsJSON()).map(({ name }) => name));
    const named = expressions.flatMap(({ expr }) => metricsIn(expr));
    expect(named.length).toBeGreaterThan(alerts.length);
    expect(named.filter((name) => !exported.has(name))).toEqual([]);
  });

  it('name labels that these metrics have', () => {
    const { scrape_configs: jobs } = parse(read('observability/prometheus.yml')) as {
      scrape_configs: { relabel_configs?: { target_label: string }[] }[];
    };
    const relabelled = jobs.flatMap(({ relabel_configs = [] }) => relabel_configs.map((rule) => rule.target_label));
    const ofTargets = ['job', 'instance', ...relabelled];
    const labelsOf = (metric: string) => {
      if (metric === 'up') return ofTargets;
      const declared = metrics.registry.getSingleMetric(metric.replace(/_(bucket|count|sum)$/, ''));
      const { labelNames } = declared as unknown as { readonly labelNames: readonly string[] };
      return [...ofTargets, 'node', ...labelNames, ...(metric.endsWith('_bucket') ? ['le'] : [])];
    };
    const unknown = expressions.flatMap((one) => unknownLabels(one, labelsOf).map((label) => `${one.where}: ${label}`));
    expect(unknown).toEqual([]);
    // As it would find them.
    const wrong = { where: '', expr: 'sum by (wrong) (parallax_sockets{other="a"})', text: '{{role}}' };
    expect(unknownLabels(wrong, labelsOf)).toEqual([
      'other of parallax_sockets',
      'wrong in a list',
      'role in "{{role}}"',
    ]);
  });

  it('have a section in the runbook for each alert', () => {
    const runbook = readFileSync(join(PROJECT_ROOT, 'docs/runbook.md'), 'utf8');
    const sections = [...runbook.matchAll(/^## (Parallax\w+)$/gm)].map(([, name]) => name!);
    expect(sections).toEqual(alerts.map(({ alert }) => alert));
    for (const { alert, annotations } of alerts)
      expect(annotations.runbook).toBe(`docs/runbook.md#${alert.toLowerCase()}`);
  });

  it('include the sockets of every venue in the alert for silent sources', () => {
    const { expr } = alerts.find(({ alert }) => alert === 'ParallaxVenueSilent')!;
    const [, sources] = /source=~"([^"]+)"/.exec(expr)!;
    const silent = SOCKET_SOURCES.filter((source) => !new RegExp(`^${sources}$`).test(source));
    expect([SOCKET_SOURCES.length > 0, silent]).toEqual([true, []]);
  });

  const missing = toolMissing('promtool', '--version');
  it.skipIf(missing !== null)(missing ?? 'are valid, and each alert fires when it should and only then', () => {
    expectSuccess('promtool', ['check', 'config', '--syntax-only', 'prometheus.yml'], OBSERVABILITY);
    expectSuccess('promtool', ['check', 'rules', 'alerts.yml'], OBSERVABILITY);
    expectSuccess('promtool', ['test', 'rules', 'alerts.test.yml'], OBSERVABILITY);
  });

  it('have for each alert a series for which it fires, and one for which it does not at any time that is tested', () => {
    const { tests } = parse(read('observability/alerts.test.yml')) as {
      tests: { name: string; alert_rule_test: { alertname: string; exp_alerts: unknown[] }[] }[];
    };
    const counts = tests.map(({ alert_rule_test }) =>
      alert_rule_test.map(({ alertname, exp_alerts }) => ({ alertname, fires: exp_alerts.length > 0 })),
    );
    for (const { alert } of alerts) {
      const series = counts
        .map((checks) => checks.filter(({ alertname }) => alertname === alert))
        .filter((one) => one.length > 0);
      const fires = series.filter((checks) => checks.some(({ fires }) => fires));
      expect({ alert, fires: fires.length > 0, isSilent: series.length > fires.length }).toEqual({
        alert,
        fires: true,
        isSilent: true,
      });
    }
  });

  it.skipIf(missing !== null)(missing ?? 'have expressions that Prometheus parses', () => {
    const folder = mkdtempSync(join(tmpdir(), 'parallax-rules-'));
    try {
      const rules = readPanels().map(({ expr }, index) => ({ record: `panel_${index}`, expr }));
      writeFileSync(join(folder, 'rules.yml'), JSON.stringify({ groups: [{ name: 'panels', rules }] }));
      expectSuccess('promtool', ['check', 'rules', 'rules.yml'], folder);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
