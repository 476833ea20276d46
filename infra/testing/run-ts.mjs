// Runs a TypeScript module of the project in plain Node, for tests that need a separate process: `node
// infra/testing/run-ts.mjs <module> [arguments]`. The module's arguments start at process.argv[3].
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, stop } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
/** Packages are found from here. */
const folder = join(root, 'node_modules', '.cache', 'run-ts');
const program = join(folder, `${process.pid}.mjs`);

/** Loggers of the module write to the collected logs of the test run, too. */
const gatheringPino = {
  name: 'gathering pino',
  setup({ onResolve }) {
    onResolve({ filter: /^pino$/ }, () => ({ path: join(root, 'infra/testing/logs/gathering-pino.ts') }));
  },
};

/** Modules find the files beside them. */
const urlsOfModules = {
  name: 'urls of modules',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const contents = readFileSync(path, 'utf8')
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)));
      return { contents, loader: 'ts' };
    });
  },
};

mkdirSync(folder, { recursive: true });
await build({
  absWorkingDir: root,
  entryPoints: [resolve(process.argv[2])],
  outfile: program,
  bundle: true,
  packages: 'external',
  format: 'esm',
  platform: 'node',
  target: 'node20',
  plugins: [gatheringPino, urlsOfModules],
  // The program is loaded completely before its first line runs.
  banner: { js: "import { unlinkSync as remove } from 'node:fs';\nremove(new URL(import.meta.url));" },
  logLevel: 'warning',
});
stop();
await import(pathToFileURL(program).href);
