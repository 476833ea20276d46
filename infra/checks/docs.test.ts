import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { referencePage, withSettingsTable } from '../cli/docs/reference.ts';
import { PROJECT_ROOT } from './sources.ts';

const read = (file: string) => readFileSync(join(PROJECT_ROOT, file), 'utf8');

describe('the documentation', () => {
  it('tells every setting, route, topic, table and channel as it is declared (npm run docs)', () => {
    expect(read('docs/reference.md')).toBe(referencePage());
  });

  it("tells every setting in the README's table (npm run docs)", () => {
    const readme = read('README.md');
    expect(readme).toBe(withSettingsTable(readme));
  });

  it('names only commands that there are', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = [...read('README.md').matchAll(/npm run ([\w-]+)/g)].map((match) => match[1]!);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});
