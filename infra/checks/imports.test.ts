import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importsOf, ROOMS, type SourceFile, sourceFiles } from './sources.ts';

/** The rooms that each room may import from, in addition to itself. */
const ALLOWED: Record<string, readonly string[]> = {
  schemas: [],
  infra: ['schemas'],
  ingest: ['schemas', 'infra'],
  processors: ['schemas', 'infra'],
  'query-api': ['schemas', 'infra'],
  'stream-gateway': ['schemas', 'infra'],
};
/** The composition root: the only folders that combine roles. */
const ROOT = /^infra\/(cli|bench|checks)\//;

function roomImportedBy(file: SourceFile, name: string): string | null {
  if (name.startsWith('#')) return name.slice(1).split('/')[0]!;
  if (!name.startsWith('.')) return null;
  return posix.join(posix.dirname(file.path), name).split('/')[0]!;
}

describe('imports between rooms', () => {
  const files = sourceFiles();

  it('follow the layers: schemas, then infra, then the roles, which never import each other', () => {
    const wrong = files.flatMap((file) => {
      const own = file.path.split('/')[0]!;
      if (ROOT.test(file.path)) return [];
      return importsOf(file)
        .map((name) => roomImportedBy(file, name))
        .filter((room) => room !== null && room !== own && !ALLOWED[own]!.includes(room))
        .map((room) => `${file.path} imports ${room}`);
    });
    expect(wrong).toEqual([]);
  });

  it('use # paths between rooms and relative paths within one', () => {
    const wrong = files.flatMap((file) => {
      const own = file.path.split('/')[0]!;
      return importsOf(file)
        .filter((name) => (name.startsWith('.') ? roomImportedBy(file, name) !== own : name.startsWith(`#${own}/`)))
        .map((name) => `${file.path} imports ${name}`);
    });
    expect(wrong).toEqual([]);
  });

  it('are checked in every room', () => {
    expect(new Set(files.map((file) => file.path.split('/')[0]))).toEqual(new Set(ROOMS));
  });
});

describe('sources', () => {
  const files = sourceFiles();

  it('read the environment only in infra/config, infra/testing and the composition root', () => {
    const wrong = files.filter(
      ({ path, text }) =>
        /process\.env/.test(text) &&
        !/^infra\/(config|cli|bench|checks|testing)\//.test(path) &&
        !/\.(test|fixture)\.ts$/.test(path),
    );
    expect(wrong.map((file) => file.path)).toEqual([]);
  });

  it('contain no disabled checks and no `.only` tests', () => {
    const marks = [/@ts-(ignore|expect-error|nocheck)/, /biome-ignore/, /\b(it|test|describe)\.only\(/];
    const wrong = files.filter(
      ({ path, text }) => path !== 'infra/checks/imports.test.ts' && marks.some((mark) => mark.test(text)),
    );
    expect(wrong.map((file) => file.path)).toEqual([]);
  });
});
