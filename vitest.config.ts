import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Loggers of tests also write to the folder that is looked through for secrets in the end. */
const gatheringPino = fileURLToPath(new URL('infra/testing/logs/gathering-pino.ts', import.meta.url));

export default defineConfig({
  resolve: { conditions: ['source'], alias: [{ find: /^pino$/, replacement: gatheringPino }] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    globalSetup: ['infra/checks/global-setup.ts'],
    include: ['{schemas,infra,ingest,processors,query-api,stream-gateway}/**/*.test.ts'],
    // Native engines (chDB, uWebSockets.js) keep process-wide state, so each file gets a process of its own.
    // One more than the two cores of CI: several files mostly wait.
    pool: 'forks',
    maxWorkers: 3,
    testTimeout: 30_000,
    hookTimeout: 120_000,
  },
});
