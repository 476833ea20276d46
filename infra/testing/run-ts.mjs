// Runs a TypeScript module of the project in plain Node, for tests that need a separate process: `node
// infra/testing/run-ts.mjs <module> [arguments]`. The module's arguments start at process.argv[3].
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createViteServer } from 'vitest/node';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const loader = await createViteServer({
  root,
  configFile: false,
  logLevel: 'error',
  appType: 'custom',
  server: { middlewareMode: true, ws: false, watch: null, hmr: false },
  optimizeDeps: { noDiscovery: true },
  // Loggers of the module write to the collected logs of the test run, too.
  resolve: {
    alias: [{ find: /^pino$/, replacement: join(root, 'infra/testing/logs/gathering-pino.ts') }],
  },
});
await loader.ssrLoadModule(resolve(process.argv[2]));
