#!/usr/bin/env node
// Entry point of every command: builds if the sources are newer than the last build, then runs the built program.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// The columnar engine blocks threads of this pool during its calls, and other work needs some too.
process.env.UV_THREADPOOL_SIZE ??= '8';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
const rooms = ['schemas', 'infra', 'ingest', 'processors', 'query-api', 'stream-gateway'];
// As npm run build does.
const builds = [join('infra', 'app', 'cli', 'build.mjs'), join('query-api', 'portal', 'build.mjs')];
const settings = ['package.json', 'tsconfig.json', ...builds];
const stamp = join(root, 'dist', '.built');

/** Paths of all source files below a folder, which lies in the project. */
function sourcesIn(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sourcesIn(path);
    return /\.(tsx?|css)$/.test(entry.name) ? [path] : [];
  });
}

function buildWhenNeeded() {
  // A container image holds what was built, and no sources.
  if (!existsSync(join(root, builds[0]))) return;
  const sources = [...settings, ...rooms.flatMap(sourcesIn)];
  // The stamp holds the names, so that a removed or renamed file counts, too.
  const names = sources.sort().join('\n');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === names) {
    const built = statSync(stamp).mtimeMs;
    if (sources.every((path) => statSync(join(root, path)).mtimeMs < built)) return;
  }
  process.stderr.write('Building…\n');
  const startedAt = new Date();
  for (const build of builds)
    if (spawnSync(process.execPath, [join(root, build)], { stdio: ['ignore', 2, 2] }).status !== 0) process.exit(1);
  writeFileSync(stamp, names);
  // A file that is saved during the build is built next time.
  utimesSync(stamp, startedAt, startedAt);
}

// A signal before the command starts exits immediately: nothing is open yet.
const endAtOnce = () => process.exit(0);
const SIGNALS = ['SIGINT', 'SIGTERM'];
for (const signal of SIGNALS) process.on(signal, endAtOnce);
buildWhenNeeded();
const { main } = await import(join(root, 'dist', 'infra', 'app', 'cli', 'main.js'));
for (const signal of SIGNALS) process.off(signal, endAtOnce);
await main(process.argv.slice(2));
