import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { referencePage, withSettingsTable } from '../cli/docs/reference.ts';
import { PROJECT_ROOT, projectFiles, ROOMS, sourceFiles } from './sources.ts';

const read = (file: string) => readFileSync(join(PROJECT_ROOT, file), 'utf8');
const FOLDERS: readonly string[] = [...ROOMS, 'docs'];
/** A file or folder in backticks, without a `<placeholder>`. */
const NAMED = /`((?:[\w.-]+\/)*[\w.-]+(?:\.(?:ts|mjs|json|md|gz)|\/))`/g;

/** A name with its file, as "`name` in `file`" or "`name` (`file`)". */
const PLACED = /`([A-Za-z_]\w*(?:\.\w+)*)` (?:in |\()`((?:[\w.-]+\/)*[\w.-]+\.(?:ts|mjs))`/g;

/** True if a text declares a name as a value, a type, a member or a string. A use is not a declaration. */
function declares(text: string, name: string): boolean {
  const word = `(?:function\\*?|const|let|class|interface|type|enum) ${name}\\b`;
  const member = `^ +(?:(?:readonly|async|static|private|protected|get) )*${name}(?:\\??:|(?:<.*>)?\\(.*\\{$)`;
  return new RegExp(`${word}|${member}|'${name}'`, 'm').test(text);
}

/** A path and the folders above it. */
function withFolders(path: string): string[] {
  const parts = path.split('/');
  return [path, ...parts.slice(1).map((_, at) => `${parts.slice(0, at + 1).join('/')}/`)];
}

/** Like `withFolders`, for every suffix of the path: pages may shorten a path. */
function withEnds(path: string): string[] {
  return path.split('/').flatMap((_, from, parts) => withFolders(parts.slice(from).join('/')));
}

describe('the documentation', () => {
  it('lists every setting, route, topic, table and channel as declared (npm run docs)', () => {
    expect(read('docs/reference.md')).toBe(referencePage());
  });

  it("lists every setting in the README's table (npm run docs)", () => {
    const readme = read('README.md');
    expect(readme).toBe(withSettingsTable(readme));
  });

  it('names only commands that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = [...read('README.md').matchAll(/npm run ([\w:-]+)/g)].map((match) => match[1]!);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });

  it('names only files and folders that exist, in source comments too', () => {
    const files = projectFiles();
    const paths = new Set(files.flatMap(withFolders));
    const suffixes = new Set(files.flatMap(withEnds));
    const pages = files.filter((path) => path.endsWith('.md')).map((path) => ({ path, text: read(path) }));
    const wrong = [...pages, ...sourceFiles()].flatMap(({ path, text }) =>
      [...text.matchAll(NAMED)]
        .map((match) => match[1]!)
        .filter((name) => !(FOLDERS.includes(name.split('/')[0]!) ? paths : suffixes).has(name))
        .map((name) => `${path} names ${name}`),
    );
    expect(wrong).toEqual([]);
  });

  it('names with each identifier only a file that declares it, in source comments too', () => {
    const files = projectFiles();
    const pages = files.filter((path) => path.endsWith('.md')).map((path) => ({ path, text: read(path) }));
    const placed = [...pages, ...sourceFiles()].flatMap(({ path, text }) =>
      [...text.matchAll(PLACED)].map(([, name, file]) => ({ path, parts: name!.split('.'), file: file! })),
    );
    // A shortened path may mean any file that ends with it.
    const holds = ({ file, parts }: (typeof placed)[number]) =>
      files
        .filter((path) => path === file || path.endsWith(`/${file}`))
        .map(read)
        .some((text) => parts.every((part) => declares(text, part)));
    expect(placed.length).toBeGreaterThan(10);
    const wrong = placed.filter((one) => !holds(one));
    expect(wrong.map(({ path, parts, file }) => `${path}: ${parts.join('.')} is not declared in ${file}`)).toEqual([]);
  });

  it.each([
    ['export function thing(at: number) {', true],
    ['  readonly thing?: string;', true],
    ['  thing(at: number): void {', true],
    ["    name: 'thing',", true],
    ['  return thing(at);', false],
    ["import { thing } from './thing.ts';", false],
    ['const things = 1;', false],
  ])('recognises %j as a declaration of `thing`: %j', (line, is) => {
    expect(declares(`// before\n${line}\n`, 'thing')).toBe(is);
  });
});
