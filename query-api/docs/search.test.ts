import { describe, expect, it } from 'vitest';
import { type Section, searchSections, wordsOf } from './search.ts';

const section = (path: string, pageTitle: string, heading: string, text: string): Section => ({
  path,
  pageTitle,
  heading,
  text,
});
const SECTIONS = [
  section('/a', 'Limits', 'WebSocket', 'A frame may have 16 KiB. A quota is a quota is a quota.'),
  section('/b', 'Quotas', 'Plans', `${'x '.repeat(200)}The quota of each plan. ${'y '.repeat(200)}`),
  section('/c', 'Glossary', 'Figures', 'A bar is a candle.'),
];

describe('the search', () => {
  it('finds sections that contain every word, in any case and order, titles first', () => {
    expect(searchSections(SECTIONS, 'QUOTA').map(({ section: { path } }) => path)).toEqual(['/b', '/a']);
    expect(searchSections(SECTIONS, 'kib frame').map(({ section: { path } }) => path)).toEqual(['/a']);
    expect(searchSections(SECTIONS, 'frame candle')).toEqual([]);
    expect(searchSections(SECTIONS, ' ? ')).toEqual([]);
  });

  it('shows the text around the first word', () => {
    const [hit] = searchSections(SECTIONS, 'each plan');
    expect(hit!.excerpt).toMatch(/^… .*The quota of each plan\. .* …$/);
    expect(hit!.excerpt.length).toBeLessThan(230);
  });

  it('shows the beginning of a text that has none of the words', () => {
    const [hit] = searchSections([section('/d', 'Quotas', '', `Begins here. ${'z '.repeat(200)}`)], 'quotas');
    expect(hit!.excerpt).toMatch(/^Begins here\. .* …$/);
  });

  it('lists three sections of a page at most, and of sections that say the same the first one', () => {
    const own = ['1', '2', '3', '4'].map((name) => section(`/e#${name}`, 'Route', name, `A quota of ${name}.`));
    const same = ['/f', '/g'].map((path) => section(path, path, 'Headers', 'A quota for all.'));
    expect(searchSections([...own, ...same], 'quota').map(({ section: { path } }) => path)).toEqual([
      '/e#1',
      '/e#2',
      '/e#3',
      '/f',
    ]);
  });

  it('splits a query into words without punctuation at their ends', () => {
    expect(wordsOf(' "GET /v1/events", v1/events and and #10?')).toEqual(['get', 'v1/events', 'and', '#10']);
  });
});
