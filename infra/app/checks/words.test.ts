/** The project's own words: the terms of `docs/glossary.md`, and none of those that they replace. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bannedWords, describeBannedWord, type WordException } from './banned-words.ts';
import { PROJECT_ROOT, projectFiles } from './sources.ts';

/** Files that have to name the banned words. */
const EXEMPT = new Set(['infra/app/checks/banned-words.ts', 'infra/app/checks/words.test.ts']);

const EXCEPTIONS: readonly WordException[] = [
  { text: /\bletters?(?=,? (and|or) (digit|number|sign))/gi, reason: 'letters of the alphabet' },
  {
    text: /\b(capital|small|lower-case|upper-case|one|two|three|single) letters?\b/gi,
    reason: 'letters of the alphabet',
  },
  { text: /\bletters? of the alphabet\b/gi, reason: 'letters of the alphabet' },
  {
    path: /^processors\/(events\/recognise|venues\/venue-c)\//,
    text: /letters?/gi,
    reason: 'recognisers read letters of the alphabet',
  },
  { text: /\bletter-spacing\b/g, reason: 'a property of CSS' },
  { path: /^processors\/events\/recognise\/capitals\.ts$/, text: /\bwish\b/g, reason: 'a company' },
];

describe('words', () => {
  it('are those of the glossary in every name, comment, message and page', () => {
    const files = projectFiles().filter((path) => /\.(tsx?|mjs|css|md|yml|sh|conf)$/.test(path) && !EXEMPT.has(path));
    expect(files.length).toBeGreaterThan(500);
    const found = files.flatMap((path) =>
      bannedWords(path, readFileSync(join(PROJECT_ROOT, path), 'utf8'), EXCEPTIONS),
    );
    expect(found.map(describeBannedWord)).toEqual([]);
  });
});

describe('bannedWords', () => {
  it.each([
    ['tellTrades();', 'tell'],
    ['interface ToldMarkets {', 'told'],
    ['const TOLD_WITHIN_MS = 1;', 'told'],
    ['// The sink is Told of it.', 'told'],
    ["it('tells every topic', () => {", 'tells'],
    ['class MarketTelling {}', 'telling'],
    ['const untold = [];', 'untold'],
    ['function letterOf(record) {', 'letter'],
    ['the letters of a topic', 'letters'],
    ['interface KeptLetter {', 'kept'],
    ['what it had', 'had'],
    ['new News()', 'news'],
    ['heardAt: number;', 'heard'],
    ['a wish of the client', 'wish'],
    ['as was said', 'said'],
    ["describe('judgeMatches', () => {", 'judge'],
    ['const PATIENCE_MS = 60_000;', 'patience'],
    ['class FairLane {', 'lane'],
    ['a hole in the numbers', 'hole'],
    ['onPressed();', 'pressed'],
  ])('finds the banned word in %j', (line, word) => {
    expect(bannedWords('a.ts', `const fine = 1;\n${line}\n`)).toContainEqual(
      expect.objectContaining({ path: 'a.ts', line: 2, word }),
    );
  });

  it.each([
    'deadLetter of DEAD_LETTER in dead-letters and a dead letter',
    'hadron, shadow, newsletter, Newsome, wishful, tellurium, retold',
    'intellect and satellite, outstanding, planes',
    ' * a dead\n * letter that spans two lines',
  ])('accepts %j', (line) => {
    expect(bannedWords('a.ts', line)).toEqual([]);
  });

  it('finds a banned word in the name of a file and reports line 0', () => {
    expect(bannedWords('infra/log/news.ts', '').map(describeBannedWord)).toEqual([
      'infra/log/news.ts:0: "news": write notification, change or update',
    ]);
  });

  it('leaves out the text of an exception, and only that', () => {
    const exception = { text: /\bletters and digits\b/g, reason: 'letters of the alphabet' };
    expect(bannedWords('a.ts', 'letters and digits', [exception])).toEqual([]);
    expect(bannedWords('a.ts', 'letters and digits, and letters', [exception])).toHaveLength(1);
    expect(bannedWords('a.ts', 'letters and digits', [{ ...exception, path: /^b/ }])).toHaveLength(1);
  });
});
