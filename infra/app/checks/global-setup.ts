import { execFileSync } from 'node:child_process';
import { accessSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { LOGS_VARIABLE } from '../../testing/logs/gather.ts';
import { fetchServices } from '../../testing/services.ts';
import { faultsOf, findSecrets } from './logs/find-secrets.ts';
import { PROJECT_ROOT } from './sources.ts';

/**
 * Sources of logs, each with a test that must produce some: loggers in tests, and services and commands as processes.
 */
const SOURCES: readonly (readonly [source: string, test: string])[] = [
  ['logger', join(PROJECT_ROOT, 'infra/telemetry/logger.test.ts')],
  ['service', join(PROJECT_ROOT, 'infra/app/checks/e2e/kill.e2e.test.ts')],
  ['command', join(PROJECT_ROOT, 'infra/app/checks/e2e/verify.e2e.test.ts')],
];

/**
 * Before all tests: builds once, so that tests that start the service as a process never build concurrently, and
 * fetches Kafka and the registry. After all tests: checks that no log holds a secret.
 */
export default async function setup(project: TestProject): Promise<() => void> {
  for (const [, test] of SOURCES) accessSync(test);
  await fetchServices();
  execFileSync(process.execPath, [join(PROJECT_ROOT, 'infra/app/cli/parallax.mjs'), 'help'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const configured = process.env[LOGS_VARIABLE];
  const folder = configured || mkdtempSync(join(tmpdir(), 'parallax-test-logs-'));
  process.env[LOGS_VARIABLE] = folder;
  return () => {
    const ran = project.vitest.state.getFiles().filter((file) => file.result?.state === 'pass');
    const wanted = SOURCES.filter(([, test]) => ran.some(({ filepath }) => filepath === test));
    const scanned = findSecrets(folder);
    const faults = faultsOf(
      scanned,
      wanted.map(([source]) => source),
    );
    const counts = Object.entries(scanned.lines).map(([source, count]) => `${count} of ${source}`);
    console.log(`secrets in logs: ${scanned.findings.length}; lines scanned: ${counts.join(', ') || 'none'}`);
    if (faults.length === 0) {
      if (!configured) rmSync(folder, { recursive: true, force: true });
      return;
    }
    // Vitest prints errors of a teardown but still exits with 0.
    process.exitCode = 1;
    throw new Error(`the logs of this run, in ${folder}:\n${faults.join('\n')}`);
  };
}
