import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of package.json. */
export const PROJECT_ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');

/** The top-level source folders. */
export const ROOMS = ['schemas', 'infra', 'ingest', 'processors', 'query-api', 'stream-gateway'] as const;

export interface SourceFile {
  /** Path from the project root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** Every TypeScript file of the rooms. */
export function sourceFiles(): SourceFile[] {
  return ROOMS.flatMap((room) =>
    readdirSync(join(PROJECT_ROOT, room), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
      .map((entry) => {
        const path = join(entry.parentPath, entry.name);
        return { path: relative(PROJECT_ROOT, path).split(sep).join('/'), text: readFileSync(path, 'utf8') };
      }),
  );
}

/** Paths of every file of the project: those of its root, of the rooms and of `docs/`. */
export function projectFiles(): string[] {
  const below = (folder: string) =>
    readdirSync(join(PROJECT_ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(PROJECT_ROOT, join(entry.parentPath, entry.name)).split(sep).join('/'));
  return [...readdirSync(PROJECT_ROOT), ...[...ROOMS, 'docs'].flatMap(below)];
}

/** The module names that a file imports or exports from, dynamic imports included. */
export function importsOf(file: SourceFile): string[] {
  return [...file.text.matchAll(/(?:from|import\()\s*'([^']+)'/g)].map((match) => match[1]!);
}

/** Like `importsOf`, without dynamic imports. */
export function staticImportsOf(file: SourceFile): string[] {
  return [...file.text.matchAll(/^(?:(?:import|export)\s[^;']*?\sfrom|import)\s+'([^']+)'/gm)].map(
    (match) => match[1]!,
  );
}

/** The path of the project's file that an import names; null for packages. */
export function resolveImport(file: SourceFile, name: string): string | null {
  if (name.startsWith('#')) return `${name.slice(1)}.ts`;
  return name.startsWith('.') && !name.endsWith('.css') ? posix.join(posix.dirname(file.path), name) : null;
}
