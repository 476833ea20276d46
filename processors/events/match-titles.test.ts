import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { matchTitles, type TitleInput } from './match-titles.ts';

const title = (id: string, text: string | null, changes: Partial<TitleInput> = {}): TitleInput => ({
  id,
  venue: 'venue_b',
  title: text,
  contextDate: '2031-03-05',
  ...changes,
});

describe('matchTitles', () => {
  it('labels what it knows and says null of what it does not', () => {
    const { labels, links } = matchTitles([
      title('a', 'Will the price of Bitcoin be above $64,000 on March 12?'),
      title('b', 'Bitcoin Up or Down on March 12?'),
      title('c', 'Will it rain?'),
      title('d', null),
    ]);
    expect(labels).toEqual({
      a: {
        kind: 'price_binary',
        underlying: 'BTC',
        threshold: 64000,
        op: 'gte',
        semantics: 'at_time',
        resolutionDate: '2031-03-12',
        confidence: 0.9,
      },
      b: {
        kind: 'up_down',
        underlying: 'BTC',
        threshold: null,
        op: null,
        semantics: null,
        resolutionDate: null,
        confidence: 0.9,
      },
      c: null,
      d: null,
    });
    expect(links).toEqual([]);
  });

  it('links over venues, with polarity, and says which links are strong enough', () => {
    const machine = (id: string, expiry: string) =>
      title(id, 'Recurring', {
        venue: 'venue_a',
        description: `class:priceBinary|underlying:BTC|expiry:${expiry}|targetPrice:64000|period:1d`,
      });
    const { links } = matchTitles([
      title('above', 'Will the price of Bitcoin be above $64,000 on March 12?'),
      title('below', 'Will the price of Bitcoin be below $64,000 on March 12?'),
      machine('noon', '20310312-1600'),
      machine('morning', '20310312-0600'),
      machine('tomorrow', '20310313-1600'),
    ]);
    expect(links.map(({ a, b, polarity, used }) => `${a} ${b} ${polarity} ${used}`)).toEqual([
      'above below inverse true',
      'above noon same true',
      'below noon inverse true',
      'above morning same false',
      'below morning inverse false',
      'noon morning same false',
    ]);
    expect(links.every(({ confidence }) => confidence > 0 && confidence < 1)).toBe(true);
  });

  it('keeps touches of opposite directions, and of a month and a deadline, apart', () => {
    const { links } = matchTitles([
      title('up', 'Will Bitcoin reach $64,000 by March 31?'),
      title('down', 'Will Bitcoin dip to $64,000 by March 31?'),
      title('month', 'Will Bitcoin reach $64,000 in March?'),
      title('moment', 'Will the price of Bitcoin be above $64,000 on March 31 at 11:59PM ET?'),
    ]);
    expect(links).toEqual([]);
  });
});

interface RecordedTitles {
  readonly titles: readonly (TitleInput & { label: Record<string, unknown> | null })[];
  readonly pairs: readonly { a: string; b: string; match: boolean }[];
}

const recorded = join(resolve(process.env.PARALLAX_SHARED ?? '../shared'), 'data/matching/titles.json');

describe.skipIf(!existsSync(recorded))(`recorded titles (skipped without ${recorded})`, () => {
  it('are read without a mistake, and linked where they ask the same', () => {
    const { titles, pairs } = JSON.parse(readFileSync(recorded, 'utf8')) as RecordedTitles;
    const { labels, links } = matchTitles(titles);
    for (const { id, title: text, label } of titles) {
      const found = labels[id];
      if (label === null) {
        expect(found?.threshold ?? null, text ?? id).toBeNull();
        continue;
      }
      const { kind, underlying, threshold, op, semantics, resolutionDate } = label;
      expect(found, text ?? id).toMatchObject({ kind, underlying, threshold, op, semantics, resolutionDate });
    }
    const linked = new Set(links.flatMap(({ a, b }) => [`${a} ${b}`, `${b} ${a}`]));
    for (const { a, b, match } of pairs) expect(linked.has(`${a} ${b}`), `${a} ${b}`).toBe(match);
    expect(links).toHaveLength(pairs.filter(({ match }) => match).length);
  });
});
