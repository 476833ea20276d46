import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    globalSetup: ['infra/checks/global-setup.ts'],
    include: ['{schemas,infra,ingest,processors,query-api,stream-gateway}/**/*.test.ts'],
    // Native engines (chDB, uWebSockets.js) keep process-wide state, so each file gets a process of its own.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 120_000,
  },
});
