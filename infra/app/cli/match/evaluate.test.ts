import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SettingError } from '../../../config/declare.ts';
import { parseCsv } from './csv.ts';
import { evaluateMatches } from './evaluate-matches.ts';
import { evaluatePairs } from './evaluate-pairs.ts';
import { parseTitles } from './titles-file.ts';

const label = (op: string, threshold: number) => ({
  kind: 'price_binary',
  underlying: 'BTC',
  threshold,
  op,
  semantics: 'at_time',
  resolutionDate: '2031-03-12',
});
const title = (id: string, text: string, more = {}) => ({
  id,
  venue: 'venue_b',
  title: text,
  contextDate: '2031-03-05',
  ...more,
});

describe('evaluateMatches', () => {
  const file = {
    titles: [
      title('a', 'Bitcoin above $64,000 on March 12?', { label: label('gte', 64000) }),
      title('b', 'Bitcoin below $64,000 on March 12?', { label: label('lte', 64000) }),
      title('c', 'Will BTC be above $64k on March 12?', { label: label('gte', 65000) }),
      title('d', 'Bitcoin Up or Down on March 12?', { notPriceBinary: 'direction_from_open' }),
      title('e', 'Bitcoin above $1 on March 12?', { notPriceBinary: 'first_of_two' }),
      title('f', 'Will it rain?', { notPriceBinary: 'range' }),
    ],
    pairs: [
      { a: 'a', b: 'b', match: true },
      { a: 'a', b: 'd', match: true },
      { a: 'b', b: 'c', match: false },
    ],
  };
  const lines = evaluateMatches(parseTitles('x', JSON.stringify(file), 'y')).split('\n');
  const line = (kind: string, after: string) =>
    lines.slice(lines.indexOf(after)).find((text) => text.includes(`  ${kind} `));

  it('counts labels per kind and names the wrong ones', () => {
    const labels = lines.find((text) => text.startsWith('labels'))!;
    expect(line('price_binary', labels)).toMatch(
      /wanted +3 +found +4 +precision 0.500 +recall 0.667 +wrong: c \(threshold\)$/,
    );
    expect(line('none of these', labels)).toMatch(
      /wanted +1 +found +1 +precision 0.000 +recall 0.000 +wrong: e \(price_binary\)$/,
    );
    expect(line('price_range', labels)).toMatch(/wrong: f \(none of these\)$/);
    expect(line('up_down', labels)).toMatch(/precision 1.000 +recall 1.000 +wrong: none$/);
  });

  it('counts links in use by verdict, and by labels where there is no verdict', () => {
    expect(line('price_binary', 'links in use')).toMatch(
      /wanted +2 +found +3 +precision 0.333 +recall 0.500 +wrong: a d \(unlinked\); false: a c; false: b c$/,
    );
  });
});

describe('evaluatePairs', () => {
  it('counts matches in use per family and names the missed and the false ones', () => {
    const report = evaluatePairs(
      [
        'verdict,family,venue_b_market_id,venue_b_title,venue_b_end,venue_c_ticker,venue_c_title,venue_c_yes_subtitle,venue_c_end',
        'match,sports,1,Will the Lions win the 2031 Stanley Cup?,,KXNHL-31-LIO,Will the Lions win the Stanley Cup Finals?,Lions,',
        'match,sports,2,Will the Bears win the 2031 Stanley Cup?,,KXNHL-31-BEA,Will "Bears" win?,Bears,',
        'not_match,price,3,"Will Bitcoin reach $130,000 by December 31, 2031?",,KXBTCMAXY-31-DEC31-129999.99,,,',
      ].join('\n'),
    );
    expect(report).toMatch(/sports +1 of 2 matches +false: none +missed: 2 KXNHL-31-BEA/);
    expect(report).toMatch(/price +0 of 0 matches +false: 3 KXBTCMAXY-31-DEC31-129999.99 \(not_match\)/);
    expect(report).toMatch(/all against all: 2 links in use, not among the listed matches: b3 KXBTCMAXY/);
  });
});

it('parses quoted fields of a CSV', () => {
  expect(parseCsv('a,b,c\n1,"x, ""y""",\n')).toEqual([{ a: '1', b: 'x, "y"', c: '' }]);
});

const twice = JSON.stringify({ titles: ['t', 'u'].map((title) => ({ id: 'a', venue: 'v', title })) });

it.each([['{'], ['{}'], ['{"titles":[{"id":1}]}'], [twice]])(
  'rejects %s with a message that names the file',
  (json) => {
    expect(() => parseTitles('--in x.json', json, 'titles')).toThrow(SettingError);
    expect(() => parseTitles('--in x.json', json, 'titles')).toThrow(/^--in x.json/);
  },
);

const recorded = join(resolve(process.env.PARALLAX_SHARED ?? '../shared'), 'data');

describe.skipIf(!existsSync(recorded))(`recorded titles and pairs (skipped without ${recorded})`, () => {
  it('get no wrong label and no false link', () => {
    const text = readFileSync(join(recorded, 'matching/titles.json'), 'utf8');
    const rows = evaluateMatches(parseTitles('recorded', text, 'titles'))
      .split('\n')
      .filter((line) => line.includes('wanted'));
    expect(rows).toHaveLength(5);
    for (const row of rows) expect(row).toMatch(/precision 1.000 +recall 1.000 +wrong: none$/);
  });

  it('are linked across venues without a false link', () => {
    const report = evaluatePairs(readFileSync(join(recorded, 'venue_c/cross_venue_pairs.csv'), 'utf8'));
    const families = report.split('\n').filter((line) => line.includes(' matches '));
    expect(families.length).toBeGreaterThan(5);
    for (const family of families) expect(family).toContain('false: none');
    expect(report).toMatch(/ not among the listed matches: none$/);
    const [, used, of] = /sports +(\d+) of (\d+)/.exec(report)!;
    expect(Number(used) / Number(of)).toBeGreaterThanOrEqual(0.9);
  });
});
