import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './infra/testing/longest-first.ts';

/** Loggers of tests also write to the folder that is looked through for secrets in the end. */
const gatheringPino = fileURLToPath(new URL('infra/testing/logs/gathering-pino.ts', import.meta.url));

/** What holds nothing process-wide: its test files share processes, which saves half their time. */
const TOGETHER = [
  'schemas/**/*.test.ts',
  'processors/{anomalies,candles,channels,events,normalise,organizations,settings,shared,spreads}/**/*.test.ts',
  'ingest/**/*.test.ts',
  'infra/{codec,config,simulator,stages}/**/*.test.ts',
];

const sources = {
  resolve: { conditions: ['source'], alias: [{ find: /^pino$/, replacement: gatheringPino }] },
  ssr: { resolve: { conditions: ['source'] } },
};
const common = { pool: 'forks' as const, testTimeout: 30_000, hookTimeout: 120_000 };

export default defineConfig({
  test: {
    globalSetup: ['infra/checks/global-setup.ts'],
    // One more than the two cores of CI: several files mostly wait.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    projects: [
      { ...sources, test: { ...common, name: 'together', include: TOGETHER, isolate: false } },
      // Native engines (chDB, uWebSockets.js) keep process-wide state, so each file gets a process of its own.
      {
        ...sources,
        test: {
          ...common,
          name: 'apart',
          include: ['{infra,processors,query-api,stream-gateway}/**/*.test.ts'],
          exclude: TOGETHER,
        },
      },
    ],
  },
});
