import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const root = resolve(import.meta.dirname, '../..');
const COMPILE_TIMEOUT_MS = 100_000;

export interface CompiledProgram {
  readonly url: URL;
  remove(): Promise<void>;
}

/**
 * Compiles the program of a thread with all its imports, as the build does. Threads of this Node version cannot load
 * TypeScript.
 *
 * @param source path from the project's root.
 */
export async function compileProgram(source: string): Promise<CompiledProgram> {
  const cache = join(root, 'node_modules', '.cache');
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'program-'));
  const imports = { '#schemas/*': './out/schemas/*.js' };
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module', imports }));
  const project = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: { outDir: join(folder, 'out'), rootDir: root, noCheck: true, sourceMap: false },
    include: [],
    files: [join(root, source)],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(project));
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  await promisify(execFile)(process.execPath, [compiler, '-p', folder], { timeout: COMPILE_TIMEOUT_MS });
  return {
    url: pathToFileURL(join(folder, 'out', source.replace(/\.ts$/, '.js'))),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
