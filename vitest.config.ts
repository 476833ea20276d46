import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './infra/testing/longest-first.ts';

/** Replaces pino in tests, so that loggers also write to the folder that is searched for secrets after the run. */
const gatheringPino = fileURLToPath(new URL('infra/testing/logs/gathering-pino.ts', import.meta.url));

/** Folders whose tests have no process-wide state. Their files share processes, which halves their run time. */
const SHARED_PROCESS = [
  'schemas',
  ...['anomalies', 'candles', 'channels', 'events', 'organizations', 'settings', 'shared', 'spreads', 'venues'].map(
    (room) => `processors/${room}`,
  ),
  'ingest',
  ...['codec', 'config', 'stages', 'app/simulator'].map((room) => `infra/${room}`),
].map((folder) => {
  if (!existsSync(new URL(folder, import.meta.url)))
    throw new Error(`vitest.config.ts names a missing folder: ${folder}`);
  return `${folder}/**/*.test.ts`;
});

const sources = {
  resolve: { conditions: ['source'], alias: [{ find: /^pino$/, replacement: gatheringPino }] },
  ssr: { resolve: { conditions: ['source'] } },
};
const common = { pool: 'forks' as const, testTimeout: 30_000, hookTimeout: 120_000 };

export default defineConfig({
  test: {
    globalSetup: ['infra/app/checks/global-setup.ts'],
    // Two more than the two cores of CI, since with three workers the cores are idle for a quarter of the time.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    projects: [
      { ...sources, test: { ...common, name: 'shared-process', include: SHARED_PROCESS, isolate: false } },
      // Native engines (chDB, uWebSockets.js) keep process-wide state, so each file runs in its own process.
      {
        ...sources,
        test: {
          ...common,
          name: 'own-process',
          include: ['{infra,processors,query-api,stream-gateway}/**/*.test.ts'],
          exclude: SHARED_PROCESS,
        },
      },
    ],
  },
});
