// Bundles the programs of commands and of threads into dist. Node loads these few files in a third of the time that it
// takes to load a file for every module and for every one of the packages.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { removeStale, writeWhole } from './write-build.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
const output = join(root, 'dist');
/** The portal has a build of its own. */
const portal = join(output, 'portal');

/** Native packages, packages of which files are loaded by their names, and tools that few commands use. */
const NOT_BUNDLED = [
  'chdb',
  'lmdb',
  'uWebSockets.js',
  'uWebSockets.js-next',
  'kafkajs',
  'pino',
  'esbuild',
  'playwright-core',
  'vitest',
];
/** Stands for the way from an output file to the folder dist. */
const TO_DIST = '__TO_DIST__/';

/** Paths of the modules of a folder whose programs are started as threads or processes, and of what is beside them. */
function modulesIn(folder) {
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => join(folder, name));
}

/** Lets a module find the files beside it, wherever in dist its code stands: its URL is that of its path. */
const urlsOfModules = {
  name: 'urls of modules',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      if (!text.includes('import.meta.url')) return undefined;
      const module = relative(root, path).replace(/\.ts$/, '.js');
      return {
        contents: text.replaceAll('import.meta.url', `new URL('${TO_DIST}${module}', import.meta.url).href`),
        loader: 'ts',
      };
    });
  },
};

const { outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: [
    'infra/app/cli/main.ts',
    'infra/app/simulator/simulator-worker.ts',
    ...modulesIn('infra/app/cli/replay/threads'),
    ...modulesIn('infra/app/bench/threads'),
  ],
  outdir: output,
  outbase: root,
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external: NOT_BUNDLED,
  plugins: [urlsOfModules],
  // Packages that are no ES modules load those of Node with it.
  banner: {
    js: "import { createRequire as createRequireOfBundle } from 'node:module';\nconst require = createRequireOfBundle(import.meta.url);",
  },
  legalComments: 'none',
  write: false,
  logLevel: 'warning',
});
// Processes of earlier builds may be running, and a command that was started at the same time may be loading files.
for (const { path, text } of outputFiles)
  writeWhole(path, text.replaceAll(TO_DIST, `${relative(dirname(path), output)}/`));
const programs = readdirSync(output, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.js'))
  .map((entry) => join(entry.parentPath, entry.name))
  .filter((path) => !path.startsWith(portal));
removeStale(programs, new Set(outputFiles.map(({ path }) => path)), join(output, '.stale'));
