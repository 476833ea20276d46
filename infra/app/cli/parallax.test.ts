import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const ENTRY = 'infra/app/cli/parallax.mjs';
const ROOMS = ['schemas', 'infra', 'ingest', 'processors', 'query-api', 'stream-gateway'];
const SOURCES = [
  'tsconfig.json',
  'query-api/portal/page.tsx',
  'query-api/portal/page.css',
  ...ROOMS.map((room) => `${room}/source.ts`),
];
/** Stands in for the build of the programs, which takes longer. */
const PROGRAMS = `
import { mkdirSync, writeFileSync } from 'node:fs';
mkdirSync('dist/infra/app/cli', { recursive: true });
writeFileSync('dist/infra/app/cli/main.js', 'export const main = (argv) => console.log("ran", ...argv);');
console.log('built programs');
`;

/** Stands in for the build of the portal. */
const PORTAL = "console.log('built portal');";

describe('the entry point of every command', () => {
  let root: string;
  const write = (path: string, text = '') => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  /** What the entry point prints about a build, and what the command prints. */
  const run = () => {
    const output = execFileSync('sh', ['-c', `"${process.execPath}" ${ENTRY} stack 2>&1`], {
      cwd: root,
      encoding: 'utf8',
    });
    return { built: /^built programs\nbuilt portal$/m.test(output), ran: /^ran stack$/m.test(output) };
  };
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'parallax-entry-'));
    mkdirSync(join(root, dirname(ENTRY)), { recursive: true });
    cpSync(join(import.meta.dirname, 'parallax.mjs'), join(root, ENTRY));
    write('package.json', '{ "type": "module" }');
    for (const path of SOURCES) write(path, '{}');
    write('infra/app/cli/build.mjs', PROGRAMS);
    write('query-api/portal/build.mjs', PORTAL);
    // As a checkout that is older than what follows.
    const past = new Date(Date.now() - 60_000);
    for (const path of ['package.json', 'infra/app/cli/build.mjs', 'query-api/portal/build.mjs', ...SOURCES])
      utimesSync(join(root, path), past, past);
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('builds before the first command, and not before the second one', () => {
    expect(run()).toEqual({ built: true, ran: true });
    expect(run()).toEqual({ built: false, ran: true });
  });

  it('does not build because a file appeared that is no source, such as a secret of the stack', () => {
    run();
    write('infra/.env');
    write('infra/secrets/admin_token');
    expect(run()).toEqual({ built: false, ran: true });
  });

  it.each([
    ['was changed', () => write('ingest/source.ts', 'export {};')],
    ['of the portal was changed', () => write('query-api/portal/page.tsx', 'export {};')],
    ['of styles was changed', () => write('query-api/portal/page.css', 'a {}')],
    ['was removed', () => rmSync(join(root, 'ingest/source.ts'))],
    ['was renamed', () => renameSync(join(root, 'ingest/source.ts'), join(root, 'ingest/other.ts'))],
    ['was added', () => write('ingest/folder/other.ts')],
  ])('builds again when a source %s', (_, change) => {
    run();
    change();
    expect(run()).toEqual({ built: true, ran: true });
  });
});
