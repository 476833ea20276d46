#!/usr/bin/env node
// Entry point of every command: builds if the sources are newer than the last build, then runs the built program.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// The columnar engine blocks threads of this pool during its calls, and other work needs some too.
process.env.UV_THREADPOOL_SIZE ??= '8';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
const rooms = ['schemas', 'infra', 'ingest', 'processors', 'query-api', 'stream-gateway'];
const stamp = join(root, 'dist', '.built');

/** Newest modification time below a folder, of source files and of the folders themselves (a removal counts). */
function newest(path) {
  let time = statSync(path).mtimeMs;
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory()) time = Math.max(time, newest(join(path, entry.name)));
    else if (entry.name.endsWith('.ts')) time = Math.max(time, statSync(join(path, entry.name)).mtimeMs);
  }
  return time;
}

function buildWhenNeeded() {
  // A container image holds what was built, and no sources.
  if (!existsSync(join(root, 'tsconfig.build.json'))) return;
  const built = existsSync(stamp) ? statSync(stamp).mtimeMs : 0;
  const files = ['package.json', 'tsconfig.json', 'tsconfig.build.json'].map(
    (file) => statSync(join(root, file)).mtimeMs,
  );
  if (built > Math.max(...rooms.map((room) => newest(join(root, room))), ...files)) return;
  process.stderr.write('Building…\n');
  const startedAt = Date.now();
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { status } = spawnSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.build.json')], {
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) process.exit(1);
  // Stamped with the start time of the build, so that a file saved during it is built next time.
  writeFileSync(stamp, String(startedAt));
}

// A signal before the command starts exits immediately: nothing is open yet.
const endAtOnce = () => process.exit(0);
const SIGNALS = ['SIGINT', 'SIGTERM'];
for (const signal of SIGNALS) process.on(signal, endAtOnce);
buildWhenNeeded();
const { main } = await import(join(root, 'dist', 'infra', 'app', 'cli', 'main.js'));
for (const signal of SIGNALS) process.off(signal, endAtOnce);
await main(process.argv.slice(2));
