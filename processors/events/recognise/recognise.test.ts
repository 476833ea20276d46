import { describe, expect, it } from 'vitest';
import type { VenueTexts } from './recognise.ts';
import { title } from './titles.fixture.ts';

describe('a price title', () => {
  it.each([
    ['Will the price of Bitcoin be above $64,000 on March 12?', 'BTC 64000 gte strict at_time'],
    ['Bitcoin above 64,000 on March 12, 7AM ET?', 'BTC 64000 gte strict at_time'],
    ['Will the price of Solana be less than $118.5 on March 12 at 8AM ET?', 'SOL 118.5 lte strict at_time'],
    ['Will Ethereum close at or above 2.5k on March 12?', 'ETH 2500 gte equal at_time'],
    ['Will XRP be at least $2 on March 12?', 'XRP 2 gte equal at_time'],
    ['Will Dogecoin be at most $0.2 on March 12?', 'DOGE 0.2 lte equal at_time'],
    ['Will Bitcoin reach $150k by March 31?', 'BTC 150000 gte equal touch'],
    ['Will $ETH hit 5000 USDC before April 1st 2031?', 'ETH 5000 gte equal touch'],
    ['Will Bitcoin dip to $50,000 in March?', 'BTC 50000 lte equal touch'],
    ['Will ETH fall below $1,000 by Friday?', 'ETH 1000 lte strict touch'],
    ['Will WTI Crude Oil (WTI) hit (LOW) $50 in March?', 'WTI 50 lte equal touch'],
    ['Will WTI Crude Oil (WTI) hit (HIGH) $90 in March?', 'WTI 90 gte equal touch'],
    ['Will the SPX opening price on March 12 be less than 6,721.30?', 'SPX 6721.3 lte strict at_time'],
  ])('is recognised: %s', (text, expected) => {
    const { strike, linkable, kind, source } = title(text);
    expect({ linkable, kind, source }).toEqual({ linkable: true, kind: 'price_binary', source: 'ner' });
    const { underlying, threshold, op, strict, semantics } = strike!;
    expect(`${underlying} ${threshold} ${op} ${strict ? 'strict' : 'equal'} ${semantics}`).toBe(expected);
  });

  it.each([
    'Will the market cap of Bitcoin be above $2b on March 12?',
    'Newcoin FDV above $50M one day after launch?',
    'Will Bitcoin hit $90k or $100k first?',
    'Will Bitcoin reach $100k today?',
    'Will the price of Bitcoin be above $64,000?',
    'Will the price of Bitcoin be above $64,000 on March 32?',
    'Will the price of Unheardofcoin be above $64,000 on March 12?',
    'Will NVIDIA (TSLA) be above $100 on March 12?',
    'Bitcoin dominance above 60 on March 12?',
    'Will Bitcoin be above Ethereum on March 12?',
    'Ethereum ETF approved by May 31?',
  ])('is not recognised in %s', (text) => {
    expect(title(text).strike).toBeNull();
  });

  it('is combined with that of its group if it is not complete', () => {
    const { strike, evidence } = title('64,000', {
      groupTitle: 'Bitcoin above ___ on March 12?',
      groupItemTitle: '64,000',
    });
    expect(strike).toMatchObject({ underlying: 'BTC', threshold: '64000' });
    expect(evidence.title).toBe('Bitcoin above 64,000 on March 12?');
  });
});

describe('an asset with an unknown name', () => {
  const price = 'Will the price of Newcoin be above $5 on March 12?';

  it.each([
    ['the rules name its symbol', 'The price of Newcoin (kNEWC) counts.', 'kNEWC'],
    ['the rules mention one pair', 'The NEWC/USDT candle, see NEWC/USDT.', 'NEWC'],
  ])('is identified if %s', (_, description, expected) => {
    expect(title(price, { description }).strike!.underlying).toBe(expected);
  });

  it.each([
    ['they mention two', price, 'NEWC/USDT or BTC/USDT.'],
    ['the pair has another first letter', price, 'The BTC/USDT candle.'],
    [
      'the question is not about the price',
      'Newcoin dominance above 60 on March 12?',
      'Newcoin dominance (NEWC), NEWC/USDT.',
    ],
    [
      'the question is about the size of a market',
      'Will the market cap of Newcoin be above $2b on March 12?',
      'The market cap of Newcoin (NEWC).',
    ],
  ])('is not guessed if %s', (_, text, description) => {
    expect(title(text, { description }).strike).toBeNull();
  });
});

describe('the minute', () => {
  const daily = 'Will the price of Bitcoin be above $64,000 on March 12?';
  const NOON = Date.UTC(2031, 2, 12, 16);

  it.each([
    ['of the title', 'Bitcoin above 64,000 on March 12, 7AM ET?', {}, Date.UTC(2031, 2, 12, 11)],
    ['of the rules', daily, { description: 'Closes at 3:00 PM ET.' }, Date.UTC(2031, 2, 12, 19)],
    ['of the rules, UTC', daily, { description: 'The price at 14:00 UTC counts.' }, Date.UTC(2031, 2, 12, 14)],
    ['of the rules in two zones', daily, { description: 'At 10:00 PM ET (02:00 UTC).' }, Date.UTC(2031, 2, 13, 2)],
    ['of the catalog', daily, { endTimeMs: Date.UTC(2031, 2, 12, 20) }, Date.UTC(2031, 2, 12, 20)],
    ['of custom', daily, {}, NOON],
    ['of the last minute for a touch', 'Will Bitcoin reach $90k by March 12?', {}, Date.UTC(2031, 2, 13, 3, 59)],
  ] as const)('is that %s', (_, text, changes, expected) => {
    expect(title(text, changes).deadline).toEqual({ day: '2031-03-12', atMs: expected });
  });

  it('is unknown if the rules name two and the catalog none', () => {
    const found = title(daily, { description: 'Between 9:00 AM ET and 4:00 PM ET.' });
    expect(found.deadline).toEqual({ day: '2031-03-12', atMs: null });
    expect(found.evidence.time).toBe('not stated');
  });

  it.each([
    ['Will Gold (GC) be above $4,000 on March 12?', null],
    ['Will Tesla (TSLA) be above $300 on March 12?', Date.UTC(2031, 2, 12, 20)],
    ['Will Bitcoin be above $64,000 on March 12 at 5PM?', null],
  ])('by custom depends on the kind of market: %s', (text, expected) => {
    expect(title(text).deadline).toEqual({ day: '2031-03-12', atMs: expected });
  });

  it('is not known by custom on another venue', () => {
    expect(title(daily, { venue: 'venue_x' }).deadline!.atMs).toBeNull();
  });
});

describe('trading above an amount on a day', () => {
  const trade = 'Will Ethereum trade above $3,100 on March 12?';
  const between = 'Will Ethereum trade between $3,100 and $3,200 on March 12?';
  const ANY = 'Resolves to Yes if any one-minute candle has a high above it.';
  const ONE = 'By the one-minute candle at 12:00 PM ET, its final "Close" price.';

  it('is doubtful if neither title nor rules state the moment', () => {
    expect(title(trade)).toMatchObject({ kind: 'price_binary', linkable: false, confidence: 0.3 });
    expect(title(between)).toMatchObject({ kind: 'price_range', linkable: false, confidence: 0.3 });
  });

  it('has the semantics that the rules state', () => {
    const touch = title(trade, { description: ANY });
    expect(touch).toMatchObject({ linkable: true, strike: { semantics: 'touch', scope: 'day', op: 'gte' } });
    expect(touch.deadline).toEqual({ day: '2031-03-12', atMs: Date.UTC(2031, 2, 13, 3, 59) });
    const atTime = title(trade, { description: ONE });
    expect(atTime).toMatchObject({ linkable: true, confidence: 0.98, strike: { semantics: 'at_time', scope: '' } });
    expect(title(between, { description: ONE })).toMatchObject({ linkable: true, confidence: 0.98 });
    expect(title(between, { description: ANY }).linkable).toBe(false);
  });

  it('includes the place that the title names', () => {
    const onKraken = 'Will Ethereum trade above $3,100 on Kraken on March 12?';
    expect(title(onKraken, { description: ANY }).strike!.scope).toBe('day on kraken');
    expect(title(onKraken, { description: ONE }).strike!.scope).toBe('on kraken');
  });

  it('is about one moment if the title states one', () => {
    const found = title('Will Ethereum trade above $3,100 on March 12 at 5PM ET?');
    expect(found).toMatchObject({ linkable: true, deadline: { atMs: Date.UTC(2031, 2, 12, 21) } });
    const opening = title('Will the SPX opening price exceed 6,800 on March 12?');
    expect(opening).toMatchObject({ linkable: true, strike: { scope: 'opening' } });
  });
});

describe('the day of a stock', () => {
  const close = 'Will Tesla (TSLA) close above $300 on November 28?';
  const FOUR = Date.UTC(2031, 10, 28, 21);
  const near = (text: string, changes: Partial<VenueTexts> = {}) =>
    title(text, { contextDay: '2031-11-20', ...changes }).deadline!.atMs;

  it('ends early on a half day, unless a later time is stated', () => {
    expect(near(close)).toBe(Date.UTC(2031, 10, 28, 18));
    expect(near(close, { description: 'The official close at 1:00 PM ET.' })).toBe(Date.UTC(2031, 10, 28, 18));
    expect(near(close, { description: 'The official close at 4:00 PM ET.' })).toBeNull();
    expect(near(close.replace('close', 'be'), { description: 'At 4:00 PM ET.' })).toBeNull();
    expect(near(close.replace('close', 'be'), { endTimeMs: FOUR })).toBeNull();
    expect(near(close.replace('close', 'be'), { venue: 'venue_x' })).toBeNull();
  });

  it('has no minute on a holiday, whatever is stated', () => {
    const holiday = close.replace('28', '27');
    const dayBefore = FOUR - 86_400_000;
    for (const changes of [{}, { description: 'At 4:00 PM ET.' }, { endTimeMs: dayBefore }]) {
      expect(near(holiday, changes)).toBeNull();
    }
    expect(title(holiday, { contextDay: '2031-11-20' }).confidence).toBe(0.8);
  });

  it('has a minute on the days next to them, and does not matter for a touch', () => {
    expect(near(close.replace('28', '26'), { description: 'At 4:00 PM ET.' })).toBe(FOUR - 2 * 86_400_000);
    expect(near('Will Tesla reach $300 by November 27?')).toBe(Date.UTC(2031, 10, 28, 4, 59));
  });
});

describe('a doubtful market', () => {
  const daily = 'Will the price of Bitcoin be above $64,000 on March 12?';
  it.each([
    ['rules of any moment under an at-time title', daily, { description: 'If any one-minute candle is higher.' }],
    [
      'rules of one moment under a touch title',
      'Will Bitcoin reach $90k by March 12?',
      { description: 'The final "Close" price counts.' },
    ],
    ['another threshold in the group', daily, { groupItemTitle: '65,000' }],
    ['a deadline on another day', daily, { endTimeMs: Date.UTC(2031, 2, 20) }],
  ])('is not linked because of %s', (_, text, changes) => {
    const found = title(text, changes);
    expect(found).toMatchObject({ kind: 'price_binary', linkable: false });
    expect(found.evidence.doubt).toBeTruthy();
  });

  it('is linked if its parts agree', () => {
    const found = title(daily, {
      description: 'The one-minute candle at 12:00 PM ET with a final "Close" price higher than that.',
      groupItemTitle: '$64,000',
      endTimeMs: Date.UTC(2031, 2, 12, 16),
    });
    expect(found).toMatchObject({ linkable: true, confidence: 0.98 });
  });
});

describe('other kinds', () => {
  it.each([
    ['Bitcoin Up or Down - March 12, 5:20AM-5:25AM ET', {}, 'up_down', 'BTC', true],
    ['S&P 500 (SPX) Opens Up or Down on March 12?', {}, 'up_down', 'SPX', false],
    ['Newcoin Up or Down - March 12', { fields: { cryptoMarketConfig: { asset: 'newc' } } }, 'up_down', 'NEWC', true],
    ['Will the price of Bitcoin be between $86,000 and $88,000 on March 12?', {}, 'price_range', 'BTC', true],
    ['Will the price of Bitcoin be between $86,000 and $88,000?', {}, 'price_range', 'BTC', false],
    ['Who will win the 2032 presidential race?', {}, 'election', null, false],
    ['Will Jane Roe win the next Ruritanian election?', {}, 'election', null, false],
    ['Will the Fed cut rates by 25 bps?', {}, 'rate', null, false],
    ['Lions vs Tigers', { fields: { gameStartTime: '2031-03-12' } }, 'sports', null, false],
    ['Lions vs. Tigers', { fields: { gameId: null } }, 'sports', null, false],
    ['Ruritania x Graustark truce by end of 2032?', { fields: { gameStartTime: '2031-03-12' } }, 'other', null, true],
    ['Ruritania x Graustark truce by end of 2032?', { fields: { gameId: '7' } }, 'other', null, true],
    ['Handicap: Lions (-5.5)', { fields: { sportsMarketType: 'spreads' } }, 'sports', null, false],
    ['Bitcoin dominance above 60 on March 12?', {}, 'other', 'BTC', false],
    ['Jane Roe out as minister by June 30?', {}, 'other', null, true],
    ['Will it rain?', {}, null, null, false],
  ])('are recognised: %s', (text, changes, kind, underlying, linkable) => {
    expect(title(text, changes)).toMatchObject({ kind, underlying, strike: null, linkable });
  });

  it('have fields of their own', () => {
    expect(title('Will the price of Bitcoin be between $86,000 and $88,000 on March 12?').details).toEqual({
      lower: '86000',
      upper: '88000',
    });
    expect(title('Bitcoin Up or Down - March 12, 11:55PM-12:00AM ET').details).toEqual({
      from: '2031-03-13T03:55:00.000Z',
      to: '2031-03-13T04:00:00.000Z',
    });
    expect(title('Bitcoin Up or Down - March 12, 11-12PM ET').details).toEqual({
      from: '2031-03-12T15:00:00.000Z',
      to: '2031-03-12T16:00:00.000Z',
    });
    expect(title('Fed decreases interest rates by 50+ bps after June 2031 meeting?').details).toEqual({
      bank: 'fed',
      time: '2031-06',
      action: 'cut',
      size: '50+',
    });
    expect(title('Will José Roe win the 2031 Chilean presidential election?').details).toEqual({
      winner: 'jose roe',
      office: 'chile president',
      contest: 'election',
      year: '2031',
    });
    expect(title('Will the LA Lions win the 2030-31 NBA Finals?').details).toEqual({
      winner: 'los angeles lions',
      competition: 'nba finals',
      year: '2031',
    });
    expect(title('Lions vs. Tigers').details).toEqual({ a: 'Lions', b: 'Tigers' });
  });
});
