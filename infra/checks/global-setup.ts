import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { LOGS_VARIABLE } from '../testing/logs/gather.ts';
import { fetchServices } from '../testing/services.ts';
import { faultsOf, findSecrets } from './logs/find-secrets.ts';
import { PROJECT_ROOT } from './sources.ts';

/** What logs when these tests are run: loggers inside of tests, and services and commands as processes. */
const SOURCES: readonly (readonly [string, RegExp])[] = [
  ['logger', /infra\/telemetry\/logger\.test\.ts$/],
  ['service', /infra\/checks\/e2e\/kill\.e2e\.test\.ts$/],
  ['command', /infra\/checks\/e2e\/verify\.e2e\.test\.ts$/],
];

/**
 * Before any test: builds once, so that tests which start the service as a process never build at the same time, and
 * fetches the services that tests run. After all of them: no log that any of them wrote holds a secret.
 */
export default async function setup(project: TestProject): Promise<() => void> {
  await fetchServices();
  execFileSync(process.execPath, [join(PROJECT_ROOT, 'infra/cli/parallax.mjs'), 'help'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const given = process.env[LOGS_VARIABLE];
  const folder = given || mkdtempSync(join(tmpdir(), 'parallax-test-logs-'));
  process.env[LOGS_VARIABLE] = folder;
  return () => {
    const ran = project.vitest.state.getFiles().filter((file) => file.result?.state === 'pass');
    const wanted = SOURCES.filter(([, test]) => ran.some((file) => test.test(file.filepath)));
    const scanned = findSecrets(folder);
    const faults = faultsOf(
      scanned,
      wanted.map(([source]) => source),
    );
    const counts = Object.entries(scanned.lines).map(([source, count]) => `${count} of ${source}`);
    console.log(`secrets in logs: ${scanned.findings.length}; lines scanned: ${counts.join(', ') || 'none'}`);
    if (faults.length === 0) {
      if (!given) rmSync(folder, { recursive: true, force: true });
      return;
    }
    // Vitest tells what a teardown throws and ends with 0 all the same.
    process.exitCode = 1;
    throw new Error(`the logs of this run, kept in ${folder}:\n${faults.join('\n')}`);
  };
}
