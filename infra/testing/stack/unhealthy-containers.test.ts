import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

const PASSWORD = 'p'.repeat(43);
const ADMIN_TOKEN = `plx_live_00000000-0000-4000-8000-000000000001.${'T'.repeat(43)}`;
const SIGNING_KEY = 'whsec_AAAAAAAAAAAAAAAA';
const STATES: Readonly<Record<string, unknown>> = {
  parallax_edge_1: { Status: 'running', ExitCode: 0, Health: { Status: 'healthy', Log: [] } },
  parallax_ingest_1: { Status: 'exited', ExitCode: 137, Health: { Status: 'healthy', Log: [] } },
  'parallax_query-api_1': {
    Status: 'running',
    ExitCode: 0,
    Health: { Status: 'unhealthy', Log: [{ Start: '2026-01-01T00:00:00Z', ExitCode: 1, Output: 'answers 503\n' }] },
  },
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parallax-unhealthy-'));
  mkdirSync(join(folder, 'infra/secrets'), { recursive: true });
  writeFileSync(join(folder, 'infra/secrets/clickhouse_password'), PASSWORD);
  writeFileSync(join(folder, 'infra/secrets/admin_token'), ADMIN_TOKEN);
  for (const [name, state] of Object.entries(STATES)) writeFileSync(join(folder, name), JSON.stringify(state));
  // The last argument is a name, except for a list.
  const script = `#!/bin/sh
for last; do :; done
case $1 in
  ps) printf '%s\\n' ${Object.keys(STATES).join(' ')} ;;
  inspect) cat '${folder}'/"$last" ;;
  logs) seq 1 40; echo 'with ${PASSWORD}, ${ADMIN_TOKEN}, ${'T'.repeat(43)} and ${SIGNING_KEY}' ;;
esac
`;
  writeFileSync(join(folder, 'docker'), script, { mode: 0o755 });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('shows of each container that is not healthy its checks and the end of its log, without secrets', () => {
  const module = new URL('unhealthy-containers.mjs', import.meta.url);
  const program = `import { describeUnhealthy } from '${module}'; process.stdout.write(describeUnhealthy());`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, PATH: `${folder}:${process.env.PATH}` },
  });
  expect(stderr).toBe('');
  const log = ['log:', ...Array.from({ length: 29 }, (_, index) => `  ${index + 12}`)];
  const last = '  with <hidden>, <hidden>, <hidden> and <hidden>';
  expect(stdout.split('\n')).toEqual([
    'parallax_ingest_1: exited with exit code 137, healthy',
    'health checks:',
    ...[...log, last],
    'parallax_query-api_1: running, unhealthy',
    'health checks:',
    '  2026-01-01T00:00:00Z exit code 1: answers 503',
    ...[...log, last],
  ]);
});
