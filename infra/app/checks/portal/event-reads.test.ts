/** How often the page of an event reads, by what its parts declare. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { EVERY_MS } from '#query-api/portal/pages/event/intervals';
import { PROJECT_ROOT } from '../sources.ts';

const READS_A_MINUTE = 30;
const PAGES = join(PROJECT_ROOT, 'query-api/portal/pages');

it('an open page of an event reads fewer than 30 times a minute', () => {
  const perMinute = Object.values(EVERY_MS).map((every) => 60_000 / every);
  expect(perMinute.reduce((sum, reads) => sum + reads, 0)).toBeLessThan(READS_A_MINUTE);
});

it('everything that it reads has such an interval, each once', () => {
  const parts = readdirSync(join(PAGES, 'event')).filter((name) => name.endsWith('.tsx'));
  const files = ['event.tsx', ...parts.map((name) => `event/${name}`)];
  const text = files.map((name) => readFileSync(join(PAGES, name), 'utf8')).join('');
  const used = [...text.matchAll(/EVERY_MS\.(\w+)/g)].map(([, part]) => part);
  expect([...used].sort()).toEqual(Object.keys(EVERY_MS).sort());
  expect(text.match(/\buse(Resource|Paged)(<.*>)?\(/g)).toHaveLength(used.length);
});
