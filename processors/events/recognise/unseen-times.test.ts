/** Times in many wordings: which minute a title means, and when it states none. */
import { describe, expect, it } from 'vitest';
import { matchTitles } from '../match-titles.ts';
import { NEAR, read, used } from './titles.fixture.ts';

it('an up-or-down day is from noon to noon for coins, and not for metals', () => {
  expect(read('Bonk Up or Down on March 9?')).toBe('BONK up_down 2031-03-09');
  expect(read('Silver Up or Down on March 7?')).toBe('SILVER up_down null');
});

describe('a minute that the words do not state', () => {
  const timeOf = (title: string) => matchTitles([{ id: 'x', venue: 'venue_b', title, contextDate: NEAR }]).labels.x;
  it.each([
    'Will Bitcoin close above $70,000 on March 9?',
    'Will Bitcoin end March above $70,000?',
    'Will Bitcoin be above $70,000 at the end of March?',
    'Will Bitcoin end 2031 above $70,000?',
    'Will Bitcoin settle between $70,000 and $71,000 on March 9?',
    'Will Bitcoin be above $70,000 on July 9 at 12PM EST?',
    'Will Bitcoin be above $70,000 on March 6 at 12PM EDT?',
    'Will Tesla close above $300 at the end of May?',
    'Will Tesla close above $300 on March 9?',
    'Will Tesla be above $300 on March 9?',
    'Will Tesla close above $300 on November 27, 2031?',
    'Will Tesla be between $300 and $310 on December 25, 2031?',
    'Will Tesla open above $300 on December 25, 2031?',
    'Will Tesla be above $300 on December 25, 2031 at 4:00 PM ET?',
    'Will Tesla close above $300 at the end of March 2024?',
    'Will Tesla close above $300 on November 28, 2031 at 4:00 PM ET?',
    'Will Tesla be above $300 on November 28, 2031 at 21:00 UTC?',
    'Will Bitcoin be above $70,000 on November 2, 2031 at 1AM ET?',
    'Will Bitcoin be above $70,000 on November 2, 2031 at 1:30 AM ET?',
    'Will Bitcoin be above $70,000 on March 9 at 2:30 AM ET?',
    'Will Bitcoin be above $70,000 on March 9 at 2:30 AM EST?',
  ])('is unknown: %s', (title) => {
    expect(timeOf(title)).toMatchObject({ resolutionTime: null, confidence: 0.8 });
  });

  it('is known with the right clock, and from the close of an exchange', () => {
    expect(timeOf('Will Bitcoin be above $70,000 on July 9 at 12PM EDT?')?.resolutionTime).toBe(
      '2031-07-09T16:00:00.000Z',
    );
    expect(timeOf('Will Bitcoin be above $70,000 on March 6 at 12PM EST?')?.resolutionTime).toBe(
      '2031-03-06T17:00:00.000Z',
    );
    expect(timeOf('Will Tesla close above $300 on March 7?')?.resolutionTime).toBe('2031-03-07T21:00:00.000Z');
  });

  it.each([
    ['Will Tesla close above $300 on November 28, 2031?', '2031-11-28T18:00:00.000Z'],
    ['Will Tesla be above $300 on November 28, 2031?', '2031-11-28T18:00:00.000Z'],
    ['Will Tesla close between $300 and $310 on December 24, 2031?', '2031-12-24T18:00:00.000Z'],
    ['Will Tesla open above $300 on December 24, 2031?', '2031-12-24T14:30:00.000Z'],
    ['Will Tesla be above $300 on November 28, 2031 at 11AM ET?', '2031-11-28T16:00:00.000Z'],
    ['Will Tesla end 2027 above $300?', '2027-12-31T21:00:00.000Z'],
    ['Will Bitcoin be above $70,000 on December 25, 2031?', '2031-12-25T17:00:00.000Z'],
    ['Will Bitcoin be above $70,000 on November 2, 2031 at 1:30 AM EDT?', '2031-11-02T05:30:00.000Z'],
    ['Will Bitcoin be above $70,000 on November 2, 2031 at 1:30 AM EST?', '2031-11-02T06:30:00.000Z'],
    ['Will Bitcoin be above $70,000 on November 2, 2031 at 2AM ET?', '2031-11-02T07:00:00.000Z'],
    ['Will Bitcoin be above $70,000 on March 9 at 3AM ET?', '2031-03-09T07:00:00.000Z'],
  ])('is known on half days and next to hours that clocks skip or show twice: %s', (title, expected) => {
    expect(timeOf(title)?.resolutionTime).toBe(expected);
  });

  it.each([
    ['KXBTCD-31NOV0201-T69999.99', null],
    ['KXBTCD-31NOV0202-T69999.99', '2031-11-02T07:00:00.000Z'],
    ['KXINXU-31NOV28H1600-T7299.9999', null],
    ['KXINXU-31NOV28H1300-T7299.9999', '2031-11-28T18:00:00.000Z'],
    ['KXINXU-31NOV27H1600-T7299.9999', null],
  ])('is known for a ticker if it is one moment within the trading hours: %s', (marketId, expected) => {
    const { labels } = matchTitles([{ id: 'x', venue: 'venue_c', marketId, title: null }]);
    expect(labels.x).toMatchObject({
      kind: 'price_binary',
      resolutionTime: expected,
      confidence: expected ? 0.98 : 0.8,
    });
  });
});

it('a window in a time that New York does not use on that day is ignored', () => {
  const up = (time: string) =>
    matchTitles([{ id: 'x', venue: 'venue_b', title: `Bitcoin Up or Down - ${time}`, contextDate: NEAR }]);
  expect(up('July 15, 3PM EDT').labels.x!.details).toMatchObject({ from: '2031-07-15T19:00:00.000Z' });
  expect(up('July 15, 3PM EST').labels.x).toMatchObject({ kind: 'up_down', resolutionTime: null });
  for (const time of ['November 2, 1AM ET', 'November 2, 1:30AM-1:45AM ET', 'November 2, 12:45AM-1:15AM ET']) {
    expect(up(time).labels.x).toMatchObject({ kind: 'up_down', resolutionTime: null });
  }
  expect(up('March 9, 2AM ET').labels.x).toMatchObject({ kind: 'up_down', resolutionTime: null });
  expect(up('November 2, 12AM ET').labels.x!.resolutionTime).toBe('2031-11-02T05:00:00.000Z');
  expect(up('November 2, 1AM EDT').labels.x!.resolutionTime).toBe('2031-11-02T06:00:00.000Z');
  expect(up('November 2, 1AM EST').labels.x!.resolutionTime).toBe('2031-11-02T07:00:00.000Z');
  const ticker = { id: 'x', venue: 'venue_c', marketId: 'KXBTC15M-31NOV020130-30', title: null };
  expect(matchTitles([ticker]).labels.x).toMatchObject({ kind: 'up_down', resolutionTime: null });
});

describe('times in other zones than New York', () => {
  it.each([
    ['12PM PT', '2031-03-05T20:00'],
    ['9AM PST', '2031-03-05T17:00'],
    ['11 a.m. Pacific Time', '2031-03-05T19:00'],
    ['4PM CT', '2031-03-05T22:00'],
    ['6AM MST', '2031-03-05T13:00'],
    ['9AM London time', '2031-03-05T09:00'],
    ['9AM CET', '2031-03-05T08:00'],
    ['21:00 JST', '2031-03-05T12:00'],
  ])('are converted: %s', (time, expected) => {
    for (const title of [
      `Solana above $210 on March 5 at ${time}?`,
      `Will Solana be above $210 at ${time} on March 5?`,
    ]) {
      const { labels } = matchTitles([{ id: 'x', venue: 'venue_b', title, contextDate: NEAR }]);
      expect(labels.x).toMatchObject({ kind: 'price_binary', threshold: 210, resolutionTime: `${expected}:00.000Z` });
    }
  });

  it.each(['9AM PDT', '9AM CDT', '9AM MDT', '9AM BST', '9AM CEST'])(
    '%s is no time of a winter day, so the minute is unknown',
    (time) => {
      const title = `Solana above $210 on March 5 at ${time}?`;
      const { labels } = matchTitles([{ id: 'x', venue: 'venue_b', title, contextDate: NEAR }]);
      expect(labels.x).toMatchObject({ kind: 'price_binary', resolutionTime: null, confidence: 0.8 });
    },
  );
});

it('midnight may be the start or the end of a day, so the minute is unknown', () => {
  const { labels } = matchTitles([
    { id: 'a', venue: 'venue_b', title: 'Will Solana be above $210 on March 9 at midnight ET?', contextDate: NEAR },
    { id: 'b', venue: 'venue_b', title: 'Will Solana hit $210 by March 9 at midnight ET?', contextDate: NEAR },
  ]);
  expect(labels.a).toMatchObject({ kind: 'price_binary', resolutionTime: null, confidence: 0.8 });
  expect(labels.b?.kind).not.toBe('price_binary');
});

describe('the close of a day', () => {
  it.each([
    'AMD above $310 at the close on Mar 6, 2031?',
    'AMD above $310 at market close on March 6?',
    'Will AMD be above $310 on March 6 at the close?',
    'Will AMD be above $310 at the close of March 6?',
  ])('is recognised in: %s', (title) => {
    expect(used('Will AMD close above $310 on March 6?', title)).toBe(true);
  });

  it('does not exist for an asset that never closes, and is no time for a touch', () => {
    const { labels } = matchTitles([
      { id: 'coin', venue: 'venue_b', title: 'Solana above $210 at the close on March 6?', contextDate: NEAR },
      { id: 'touch', venue: 'venue_b', title: 'Will AMD hit $310 at the close on March 6?', contextDate: NEAR },
    ]);
    expect(labels.coin).toMatchObject({ kind: 'price_binary', resolutionTime: null });
    expect(labels.touch?.kind).not.toBe('price_binary');
  });

  it('is known for a share class with a dot in its ticker', () => {
    expect(read('Will Hubbell Industries (HUBX.B) close above $410 on March 7?')).toBe(
      'HUBX.B gte 410 at_time 2031-03-07',
    );
    const close = (ticker: string) => `Will Hubbell Industries (${ticker}) be above $410 on March 7 at 4PM ET?`;
    expect(used(close('HUBX.B'), close('HUBX.B'))).toBe(true);
    expect(used(close('HUBX.B'), close('HUBX.A'))).toBe(false);
  });
});
