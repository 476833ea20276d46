import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const { removeStale, writeWhole } = await import(join(import.meta.dirname, 'write-build.mjs'));
const DAY_MS = 86_400_000;

describe('the files of a build', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'parallax-build-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('replace older ones and leave no temporary files', () => {
    const path = join(folder, 'chunks', 'a.js');
    writeWhole(path, 'old');
    writeWhole(path, 'new');
    expect(readFileSync(path, 'utf8')).toBe('new');
    expect(readdirSync(join(folder, 'chunks'))).toEqual(['a.js']);
  });

  it('are removed a day after the first build without them, however old they are', () => {
    const [current, stale, list] = ['a.js', 'b.js', '.stale'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    for (const path of [current, stale]) writeWhole(path, '');
    const buildAt = (now: number, ...built: string[]) =>
      removeStale([current, stale].filter(existsSync), new Set(built), list, now);
    buildAt(0, current, stale);
    buildAt(5 * DAY_MS, current);
    buildAt(6 * DAY_MS, current);
    expect(existsSync(stale)).toBe(true);
    buildAt(6 * DAY_MS + 1, current);
    expect(existsSync(stale)).toBe(false);
    expect(existsSync(current)).toBe(true);
  });

  it('that come back are stale anew when a later build lacks them', () => {
    const [file, list] = [join(folder, 'a.js'), join(folder, '.stale')];
    writeWhole(file, '');
    removeStale([file], new Set(), list, 0);
    removeStale([file], new Set([file]), list, DAY_MS);
    removeStale([file], new Set(), list, 2 * DAY_MS);
    expect(existsSync(file)).toBe(true);
  });

  it('may be removed by two builds at once', () => {
    const [gone, list] = [join(folder, 'a.js'), join(folder, '.stale')];
    removeStale([gone], new Set(), list, 0);
    expect(() => removeStale([gone], new Set(), list, 2 * DAY_MS)).not.toThrow();
  });
});
