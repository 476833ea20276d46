import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { testsSharingProcesses } from './infra/app/checks/shared-process.ts';
import { fastExports } from './infra/testing/fast-exports.ts';
import { LongestFirst } from './infra/testing/longest-first.ts';

/** Replaces pino in tests, so that loggers also write to the folder that is searched for secrets after the run. */
const gatheringPino = fileURLToPath(new URL('infra/testing/logs/gathering-pino.ts', import.meta.url));

const sharingProcesses = testsSharingProcesses();

const sources = {
  plugins: [fastExports],
  resolve: { alias: [{ find: /^pino$/, replacement: gatheringPino }] },
};
const common = {
  pool: 'forks' as const,
  testTimeout: 30_000,
  hookTimeout: 120_000,
  // A poll ends as soon as its condition holds. On a busy machine, a process may get no processor for a second.
  expect: { poll: { timeout: 10_000 } },
};

export default defineConfig({
  test: {
    globalSetup: ['infra/app/checks/global-setup.ts'],
    // Two more than the two cores of CI, since tests also wait: with five workers, all of them are too slow for their limits.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    projects: [
      { ...sources, test: { ...common, name: 'shared-process', include: sharingProcesses, isolate: false } },
      // All others: long ones, and those whose state lasts as long as their process.
      {
        ...sources,
        test: {
          ...common,
          name: 'own-process',
          include: ['{schemas,infra,ingest,processors,query-api,stream-gateway}/**/*.test.ts'],
          exclude: sharingProcesses,
        },
      },
    ],
  },
});
