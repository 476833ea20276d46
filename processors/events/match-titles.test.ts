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
  it('labels recognised titles and returns null for others', () => {
    const { labels, links } = matchTitles([
      title('a', 'Will the price of Bitcoin be above $64,000 on March 12?'),
      title('b', 'Bitcoin Up or Down on March 12?'),
      title('c', 'Will it rain?'),
      title('d', null),
    ]);
    expect(labels).toMatchObject({
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
        resolutionDate: '2031-03-12',
        resolutionTime: '2031-03-12T16:00:00.000Z',
        confidence: 0.9,
      },
      c: null,
      d: null,
    });
    expect(labels.a!.evidence).toEqual({
      title: 'Will the price of Bitcoin be above $64,000 on March 12?',
      underlying: 'Bitcoin',
      threshold: '$64,000',
      op: 'above',
      day: 'on March 12',
      semantics: 'be above … on March 12',
      time: "noon, the venue's custom",
    });
    expect(links).toEqual([]);
  });

  it('links titles of different venues with polarity, and marks the links that are strong enough', () => {
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

  it('does not link touches of opposite directions, or of a month and a deadline', () => {
    const { links } = matchTitles([
      title('up', 'Will Bitcoin reach $64,000 by March 31?'),
      title('down', 'Will Bitcoin dip to $64,000 by March 31?'),
      title('month', 'Will Bitcoin reach $64,000 in March?'),
      title('moment', 'Will the price of Bitcoin be above $64,000 on March 31 at 11:59PM ET?'),
    ]);
    expect(links).toEqual([]);
  });
});

describe('links of a day', () => {
  it('are used for every minute that two venues ask for, and for no other minute', () => {
    const sentence = (id: string, at: string) =>
      title(id, `Will the price of Bitcoin be above $64,000 on March 12${at}?`);
    const machine = (id: string, expiry: string) =>
      title(id, 'Recurring', {
        venue: 'venue_a',
        description: `class:priceBinary|underlying:BTC|expiry:${expiry}|targetPrice:64000|period:1d`,
      });
    const { links } = matchTitles([
      sentence('b noon', ''),
      machine('a noon', '20310312-1600'),
      sentence('b five', ' at 5PM ET'),
      machine('a six', '20310312-2200'),
      machine('a five', '20310312-2100'),
    ]);
    expect(links).toHaveLength(10);
    const used = links.filter((link) => link.used).map(({ a, b }) => `${a}, ${b}`);
    expect(used).toEqual(['b noon, a noon', 'b five, a five']);
  });
});

describe('links of other kinds', () => {
  const used = (...titles: TitleInput[]) =>
    matchTitles(titles).links.map(({ a, b, used: isUsed }) => `${a} ${b} ${isUsed}`);
  const other = (id: string, text: string, changes: Partial<TitleInput> = {}) =>
    title(id, text, { venue: 'venue_c', ...changes });

  it('need the same range and minute', () => {
    const range = 'Will the price of Bitcoin be between $86,000 and $88,000 on March 12';
    const fields = { class: 'priceBucket', underlying: 'BTC', priceThresholds: '86000,88000' };
    const bucket = (id: string, expiry: string, index = 1) =>
      title(id, null, { venue: 'venue_a', description: `index:${index}`, fields: { ...fields, expiry } });
    expect(used(title('a', `${range}?`), bucket('b', '20310312-1600'))).toEqual(['a b true']);
    expect(used(title('a', `${range} at 5PM ET?`), bucket('b', '20310312-1600'))).toEqual(['a b false']);
    expect(used(title('a', `${range}?`), bucket('b', '20310312-1600', 2))).toEqual([]);
    expect(used(title('a', 'Bitcoin above $86,000 on March 12?'), bucket('b', '20310312-1600'))).toEqual([]);
  });

  it('need the same beginning and end', () => {
    const ticker = other('b', '', { marketId: 'KXBTC15M-31MAR120130-30' });
    expect(used(title('a', 'Bitcoin Up or Down - March 12, 1:15AM-1:30AM ET'), ticker)).toEqual(['a b true']);
    expect(used(title('a', 'Bitcoin Up or Down - March 12, 1:15AM-1:20AM ET'), ticker)).toEqual(['a b false']);
    expect(used(title('a', 'Bitcoin Up or Down - March 12, 1:20AM-1:30AM ET'), ticker)).toEqual([]);
  });

  it.each([
    [
      'Fed decreases interest rates by 25 bps after June 2031 meeting?',
      'Will the Federal Reserve Cut rates by 25bps at their June 2031 meeting?',
      {},
    ],
    [
      'No change in Fed interest rates after June 2031 meeting?',
      'Will the Federal Reserve Hike rates by 0bps at their June 2031 meeting?',
      {},
    ],
    [
      'Will no Fed rate cuts happen in 2031?',
      'Will the Fed cut rates 0 times?',
      { marketId: 'KXCOUNT-31DEC31-T0', subtitle: 'Exactly 0 cuts' },
    ],
    [
      'Will the Lions win the 2031 Stanley Cup?',
      'Will the Lions win the Stanley Cup Finals?',
      { marketId: 'KXNHL-31-LIO' },
    ],
    [
      'Will Jane Roe win the 2031 Chile presidential election?',
      'Who will win the Chilean presidential election?',
      { marketId: 'KXCHILE-31-JR', subtitle: 'Jane Roe' },
    ],
    [
      'Will Jane Roe win the Utah Governor Election in 2031',
      'Will Jane Roe win the 2031 Utah gubernatorial election?',
      {},
    ],
    ['Will Jane Roe meet with John Doe in 2031?', 'Will Jane Roe meet with John Doe before 2032?', {}],
  ])('are found between venues: %s', (b, c, changes) => {
    expect(used(title('b', b), other('c', c, changes))).toEqual(['b c true']);
  });

  it.each([
    [
      'Fed decreases interest rates by 25 bps after June 2031 meeting?',
      'Will the Fed cut rates by 50 bps at their June 2031 meeting?',
      {},
    ],
    [
      'Fed decreases interest rates by 25 bps after June 2031 meeting?',
      'Will the Fed cut rates by 25+ bps at their June 2031 meeting?',
      {},
    ],
    [
      'Fed decreases interest rates by 25 bps after June 2031 meeting?',
      'Will the Fed hike rates by 25 bps at their June 2031 meeting?',
      {},
    ],
    [
      'Fed decreases interest rates by 25 bps after June 2031 meeting?',
      'Will the ECB cut rates by 25 bps at their June 2031 meeting?',
      {},
    ],
    [
      'Will 2 Fed rate cuts happen in 2031?',
      'Will the Fed cut rates 2 times?',
      { marketId: 'KXCOUNT-31DEC31-T2', subtitle: '2 or more cuts' },
    ],
    [
      'Will the Lions win the 2031 Stanley Cup?',
      'Will the Lions win the Stanley Cup Finals?',
      { marketId: 'KXNHL-32-LIO' },
    ],
    ['Will the Lions win the 2031 Stanley Cup?', 'Will the Lions win the NBA Finals?', { marketId: 'KXNBA-31-LIO' }],
    [
      'Will Jane Roe win the 2031 Chile presidential election?',
      'Will Jane Roe win the 2031 Peru presidential election?',
      {},
    ],
    [
      'Will Jane Roe win the first round of the 2031 Chile presidential election?',
      'Will Jane Roe win the 2031 Chile presidential election?',
      {},
    ],
    ['Will Jane Roe be the first leader out in 2031?', 'Will Jane Roe be the next leader out in 2031?', {}],
    ['Will Jane Roe meet with John Doe in June?', 'Will Jane Roe meet with John Doe by June 30?', {}],
    ['Will Jane Roe meet with John Doe in 2031?', 'Will Jane Roe visit John Doe in 2031?', {}],
    ['Jane Roe out as minister by June 30?', 'Jane Roe out as minister by July 31?', {}],
  ])('are not found between different questions: %s against %s', (b, c, changes) => {
    expect(used(title('b', b), other('c', c, changes))).toEqual([]);
  });

  it('are used for one market of a venue only, since a venue lists no question twice', () => {
    const text = 'Will Jane Roe meet with John Doe in 2031?';
    expect(used(title('a', text), title('b', text), other('c', text))).toEqual(['a b false', 'a c true', 'b c false']);
  });
});

interface RecordedTitles {
  readonly titles: readonly (TitleInput & { label: Record<string, unknown> | null })[];
  readonly pairs: readonly { a: string; b: string; match: boolean }[];
}

const recorded = join(resolve(process.env.PARALLAX_SHARED ?? '../shared'), 'data/matching/titles.json');

describe.skipIf(!existsSync(recorded))(`recorded titles (skipped without ${recorded})`, () => {
  it('are read without a mistake, and linked if they ask the same question', () => {
    const { titles, pairs } = JSON.parse(readFileSync(recorded, 'utf8')) as RecordedTitles;
    const { labels, links } = matchTitles(titles);
    for (const { id, title: text, label } of titles) {
      const found = labels[id];
      if (label === null) {
        expect(found?.kind, text ?? id).not.toBe('price_binary');
        continue;
      }
      const { kind, underlying, threshold, op, semantics, resolutionDate } = label;
      expect(found, text ?? id).toMatchObject({ kind, underlying, threshold, op, semantics, resolutionDate });
    }
    const usedLinks = links.filter(({ used }) => used);
    const linked = new Set(usedLinks.flatMap(({ a, b }) => [`${a} ${b}`, `${b} ${a}`]));
    for (const { a, b, match } of pairs) expect(linked.has(`${a} ${b}`), `${a} ${b}`).toBe(match);
    expect(usedLinks).toHaveLength(pairs.filter(({ match }) => match).length);
  });
});
