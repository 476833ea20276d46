/** Titles in many wordings with their meaning, none copied from a venue: the recognition must follow from rules. */
import { describe, expect, it } from 'vitest';
import { matchTitles, type TitleInput } from '../match-titles.ts';

/** All titles are read as if listed or closed near this day, a Wednesday, unless a test states another one. */
const NEAR = '2031-03-05';

function read(title: string | null, changes: Partial<TitleInput> = {}): string {
  const input = { id: 'x', venue: 'venue_b', title, contextDate: NEAR, ...changes };
  const label = matchTitles([input]).labels.x;
  if (!label) return 'null';
  const { kind, underlying, threshold, op, semantics, resolutionDate, details } = label;
  if (kind === 'price_binary') return `${underlying} ${op} ${threshold} ${semantics} ${resolutionDate}`;
  if (kind === 'price_range') return `${underlying} ${details.lower}..${details.upper} ${resolutionDate}`;
  return kind === 'up_down' ? `${underlying} up_down ${resolutionDate}` : kind;
}

describe('a price at one moment', () => {
  it.each([
    ['Bitcoin above $91,250 on March 9?', 'BTC gte 91250 at_time 2031-03-09'],
    ['Will Bitcoin be above $91k on Mar 9?', 'BTC gte 91000 at_time 2031-03-09'],
    ['Will BTC be above 91.5K at 5PM ET on March 9?', 'BTC gte 91500 at_time 2031-03-09'],
    ['Will the price of BTC be below $91,500.50 on March 9, 2031 at 5:30 PM ET?', 'BTC lte 91500.5 at_time 2031-03-09'],
    ['On March 9, will Ethereum be above $3,000?', 'ETH gte 3000 at_time 2031-03-09'],
    ['Ethereum price on March 9 above $3,000?', 'ETH gte 3000 at_time 2031-03-09'],
    ['Will the Ethereum price on March 9 at noon ET be higher than $3,000?', 'ETH gte 3000 at_time 2031-03-09'],
    ["Will Ethereum's price be under $3,000 on 9 March 2031?", 'ETH lte 3000 at_time 2031-03-09'],
    ['Will ETH trade above $3,000 on 2031-03-09?', 'ETH gte 3000 at_time 2031-03-09'],
    ['Will ETH/USD close at or below $3,000 on Sunday, March 9th?', 'ETH lte 3000 at_time 2031-03-09'],
    ['Solana >$210 on March 9?', 'SOL gte 210 at_time 2031-03-09'],
    ['Solana ≥ 210 USDC on March 9', 'SOL gte 210 at_time 2031-03-09'],
    ['Will XRP be worth at least 2.75 dollars on the 9th of March?', 'XRP gte 2.75 at_time 2031-03-09'],
    ['Will XRP be at $2.75 or higher on March 9?', 'XRP gte 2.75 at_time 2031-03-09'],
    ['Will Dogecoin be no more than $0.19 on March 9?', 'DOGE lte 0.19 at_time 2031-03-09'],
    ['Will Bitcoin end 2031 above $150k?', 'BTC gte 150000 at_time 2031-12-31'],
    ['Will Bitcoin be above $150k at the end of March?', 'BTC gte 150000 at_time 2031-03-31'],
    ['Will Bitcoin close the year below $1 million?', 'BTC lte 1000000 at_time 2031-12-31'],
    ['Will Bitcoin exceed $150,000 on Friday?', 'BTC gte 150000 at_time 2031-03-07'],
    ['Will Tesla (TSLA) close above $310 on March 7?', 'TSLA gte 310 at_time 2031-03-07'],
    ['Will Newmotor (NWM) close above $31 on March 7?', 'NWM gte 31 at_time 2031-03-07'],
    ['Will S&P 500 (SPX) open below 7,100 on March 7?', 'SPX lte 7100 at_time 2031-03-07'],
    ['Will the Nasdaq 100 closing price on March 7 be greater than 25,000?', 'NDX gte 25000 at_time 2031-03-07'],
    ['Will Gold (GC) be above $5,100 on March 7?', 'GOLD gte 5100 at_time 2031-03-07'],
    ['Will the price of a barrel of crude oil be $100 or more on March 9, 2031?', 'WTI gte 100 at_time 2031-03-09'],
    ['Ripple above $2.39 on March 13?', 'XRP gte 2.39 at_time 2031-03-13'],
    ['Bitcoin closes above $91k on March 9?', 'BTC gte 91000 at_time 2031-03-09'],
    ['Bitcoin above 91,200 on March 9, 11PM ET?', 'BTC gte 91200 at_time 2031-03-09'],
    ['Will the price of $PEPE be above $0.00001 on March 9?', 'PEPE gte 0.00001 at_time 2031-03-09'],
  ])('is recognised in: %s', (title, expected) => {
    expect(read(title)).toBe(expected);
  });
});

describe('a price touched at any time', () => {
  it.each([
    ['Will Bitcoin hit $1.2m by December 31?', 'BTC gte 1200000 touch 2031-12-31'],
    ['Will Bitcoin hit $1m by end of 2031?', 'BTC gte 1000000 touch 2031-12-31'],
    ['Will Bitcoin hit $1 million before 2032?', 'BTC gte 1000000 touch 2031-12-31'],
    ['Will Bitcoin reach $120K by the end of Q2 2031?', 'BTC gte 120000 touch 2031-06-30'],
    ['Will Bitcoin reach $120K in Q3?', 'BTC gte 120000 touch 2031-09-30'],
    ['Will BTC touch 120,000 before July?', 'BTC gte 120000 touch 2031-06-30'],
    ['By June 30, will Bitcoin hit $120,000?', 'BTC gte 120000 touch 2031-06-30'],
    ['Will Bitcoin, by June 30, reach $120,000?', 'BTC gte 120000 touch 2031-06-30'],
    ['Will Bitcoin cross $120,000 during April?', 'BTC gte 120000 touch 2031-04-30'],
    ['Will Ethereum rise above $6k by EOY?', 'ETH gte 6000 touch 2031-12-31'],
    ['Will Ethereum surpass $6,000 this year?', 'ETH gte 6000 touch 2031-12-31'],
    ['Will Ethereum fall below $1,500 on or before April 15?', 'ETH lte 1500 touch 2031-04-15'],
    ['Will Ethereum drop to $1,500 or lower by Apr 15, 2031?', 'ETH lte 1500 touch 2031-04-15'],
    ['Will Ethereum dip to 1.5k March 3-9?', 'ETH lte 1500 touch 2031-03-09'],
    ['Will Ethereum crash below $1,500 between March 30 and April 5?', 'ETH lte 1500 touch 2031-04-05'],
    ['Will $SOL hit $500 by Sept. 30th?', 'SOL gte 500 touch 2031-09-30'],
    ['Will Solana go to $500 until September 30?', 'SOL gte 500 touch 2031-09-30'],
    ['Will XRP hit $5 on Binance by April 1?', 'XRP gte 5 touch 2031-04-01'],
    ['Will Crude Oil (CL) hit (HIGH) $95 by end of March?', 'WTI gte 95 touch 2031-03-31'],
    ['Will Silver (SI) hit (LOW) $40 by end of June?', 'SILVER lte 40 touch 2031-06-30'],
    ['Will Bitcoin trade above $120,000 at any point in June?', 'BTC gte 120000 touch 2031-06-30'],
    ['Will Bitcoin hit $80,000 or lower by June 30?', 'BTC lte 80000 touch 2031-06-30'],
    ['Bitcoin hits $200k by June 30?', 'BTC gte 200000 touch 2031-06-30'],
    ['Bitcoin falls below $50k before May?', 'BTC lte 50000 touch 2031-04-30'],
    ['Will Newshare (NWSH) hit $5.50 (LOW) by May 31?', 'NWSH lte 5.5 touch 2031-05-31'],
    ['Will Natural Gas (NG) hit (HIGH) $3.40 in May?', 'NATGAS gte 3.4 touch 2031-05-31'],
    ['Will NVIDIA reach $400 before March 1, 2032?', 'NVDA gte 400 touch 2032-02-29'],
    ['Will HYPE hit $60 on March 9?', 'HYPE gte 60 touch 2031-03-09'],
  ])('is recognised in: %s', (title, expected) => {
    expect(read(title)).toBe(expected);
  });

  it('has the next such deadline if the listing is known, and the nearest if the end is known', () => {
    const title = 'Will Bitcoin hit $200k by December 31?';
    expect(read(title, { contextDate: '2031-01-04' })).toContain('2031-12-31');
    expect(read(title, { contextDate: '2031-12-31' })).toContain('2031-12-31');
    expect(read(title, { contextDate: '2032-01-01' })).toContain('2031-12-31');
    expect(read('Will Bitcoin hit $200k by January 15?', { contextDate: '2031-12-20' })).toContain('2032-01-15');
    expect(read('Will Bitcoin hit $200k in January?', { contextDate: '2031-01-31' })).toContain('2031-01-31');
  });
});

describe('a title completed by its subtitle', () => {
  it.each([
    ['How high will Solana get this year?', '$400 or above', 'SOL gte 400 touch 2031-12-31'],
    ['How low will Solana get in April?', 'Below $80', 'SOL lte 80 touch 2031-04-30'],
    ['Bitcoin price on Mar 9, 2031 at 5pm EDT?', '$91,250 or above', 'BTC gte 91250 at_time 2031-03-09'],
    ['Bitcoin price on Mar 9, 2031 at 5pm EDT?', '$91,000 to 91,249.99', 'BTC 91000..91249.99 2031-03-09'],
    ['What will the price of Ethereum be on March 9?', '<$2,800', 'ETH lte 2800 at_time 2031-03-09'],
    ['What price will Bitcoin hit in March?', '↑ 120,000', 'BTC gte 120000 touch 2031-03-31'],
    ['What price will Bitcoin hit March 3-9?', '↓ 70,000', 'BTC lte 70000 touch 2031-03-09'],
    ['What price will Bitcoin hit in March?', '120,000', 'other'],
    ['How high will Solana get this year?', 'Below $400', 'other'],
  ])('is recognised: %s %s', (title, subtitle, expected) => {
    expect(read(title, { subtitle })).toBe(expected);
  });
});

describe('a market of venue_c by its ticker', () => {
  const rules = (rules_primary: string, more = {}) => ({ rules: { rules_primary, ...more } });
  it.each([
    ['KXBTCD-31AUG0117-T119999.99', {}, 'BTC gte 120000 at_time 2031-08-01'],
    ['KXETHD-31AUG0117-T4019.99', {}, 'ETH gte 4020 at_time 2031-08-01'],
    ['KXGOLDH-31AUG0109-T5100.99', {}, 'GOLD gte 5101 at_time 2031-08-01'],
    ['KXINXU-31AUG01H1600-T7299.9999', {}, 'SPX gte 7300 at_time 2031-08-01'],
    ['KXSOLMAXY-31-DEC31-499.99', {}, 'SOL gte 500 touch 2031-12-31'],
    ['KXXRPMINY-31DEC31-1.5', {}, 'XRP lte 1.5 touch 2031-12-31'],
    [
      'KXBTCMAXY-31',
      rules('above $149999.99', { strike_type: 'greater', floor_strike: 149999.99 }),
      'BTC gte 150000 touch 2031-12-31',
    ],
    [
      'KXBTCD-31AUG0117-T119999.99',
      { rules: { strike_type: 'less', cap_strike: 119999.99 } },
      'BTC lte 120000 at_time 2031-08-01',
    ],
    ['KXETHD-31AUG17', rules('is above 2594.99 at 2 AM EDT on Aug 17, 2031'), 'ETH gte 2595 at_time 2031-08-17'],
    ['KXBTC-31AUG0117-T119999.99', {}, 'other'],
    ['KXBTC-31AUG0117-B119875', {}, 'BTC undefined..undefined null'],
    ['KXETH15M-31AUG170130-30', {}, 'ETH up_down 2031-08-17'],
    ['KXETHMAXM-AUG31-AUG31-4999.99', {}, 'other'],
    ['KXBTCMAXY-31-JUN30-129999.99', { title: 'How high will Bitcoin get this year?' }, 'other'],
  ])('is recognised: %s %j', (marketId, changes, expected) => {
    expect(read(null, { venue: 'venue_c', marketId, ...changes })).toBe(expected);
  });
});

describe('a market of venue_a by its description', () => {
  const outcome = (description: string, fields = {}) => read('Recurring', { venue: 'venue_a', description, fields });
  it('is a threshold', () => {
    expect(outcome('class:priceBinary|underlying:ETH|expiry:20310309-1300|targetPrice:3012.5|period:1h')).toBe(
      'ETH gte 3012.5 at_time 2031-03-09',
    );
    expect(outcome('class:priceBinary|underlying:kPEPE|expiry:20310309-1300|targetPrice:0.0093|period:1h')).toBe(
      'kPEPE gte 0.0093 at_time 2031-03-09',
    );
  });

  it('or one bucket of a question', () => {
    const fields = { class: 'priceBucket', underlying: 'SOL', expiry: '20310309-0600', priceThresholds: '190,210' };
    expect(outcome('index:0', fields)).toBe('SOL null..190 2031-03-09');
    expect(outcome('index:1', fields)).toBe('SOL 190..210 2031-03-09');
    expect(outcome('index:2', fields)).toBe('SOL 210..null 2031-03-09');
    expect(outcome('index:3', fields)).toBe('SOL undefined..undefined 2031-03-09');
  });
});

describe('a price between two amounts', () => {
  it.each([
    ['Will the price of Bitcoin be between $86,000 and $88,000 on March 9?', 'BTC 86000..88000 2031-03-09'],
    ['Will Bitcoin be between $86-88k on March 9?', 'BTC 86000..88000 2031-03-09'],
    ['Will Tesla (TSLA) close at $305-$310 on March 7?', 'TSLA 305..310 2031-03-07'],
    [
      'Will Tesla (TSLA) close at $305-$310 on the final day of trading of the week of Mar 3 – Mar 7?',
      'TSLA 305..310 null',
    ],
    ['Will the market cap of $NEWC (FDV) be between $2b and $2.5b on March 9?', 'null 2000000000..2500000000 null'],
  ])('is recognised in: %s', (title, expected) => {
    expect(read(title)).toBe(expected);
  });
});

describe('up or down', () => {
  it.each([
    ['Ethereum Up or Down - March 9, 3PM ET', 'ETH up_down 2031-03-09'],
    ['Bitcoin Up or Down - March 9, 11:45PM-12:00AM ET', 'BTC up_down 2031-03-10'],
    ['XRP Up or Down on March 9?', 'XRP up_down 2031-03-09'],
    ['S&P 500 (SPX) Up or Down on March 7?', 'SPX up_down null'],
  ])('is recognised in: %s', (title, expected) => {
    expect(read(title)).toBe(expected);
  });
});

describe('a title that only looks like a threshold', () => {
  it.each([
    'Will Bitcoin hit $80k or $100k first?',
    'Will Bitcoin hit $100k before Ethereum hits $5k?',
    'Will Bitcoin hit $100k today?',
    'Will Bitcoin hit $100k this week?',
    'Will Bitcoin not fall below $80k by March 31?',
    'Will Bitcoin stay above $80k through March 31?',
    'Will Bitcoin close above $100k by March 31?',
    'Will Silver (SI) settle at >$60 in June?',
    'Will Tesla (TSLA) finish week of March 3 above $300?',
    'Will Tesla (TSLA) close at >$310 on the final day of trading of the week of Mar 3 – Mar 7?',
    'Newcoin market cap (FDV) >$2B one day after launch?',
    'Will the market cap of Bitcoin be above $3t on March 9?',
    'Will Bitcoin dominance be above 60% on March 9?',
    'Will Bitcoin rise above 5% on March 9?',
    'Will Bitcoin be above €90,000 on March 9?',
    'Will inflation (CPI) be above 3 on March 9?',
    'Will Apple (AAPL) reach $5 trillion by June 30?',
    'Will Apple hit $5T market cap by June 30?',
    '$NEWC hits $5 by next Friday?',
    'Will Rocket Lab USA, Inc. (RKLB) hit (HIGH) $78 Week of April 13 2031?',
    'Will Bitcoin (BTC) drop below $102,000 from June 20 to 23 (London time)?',
    'Will Ether Rock sell for over $600k at an auction on March 9?',
    'Will the highest temperature in Utah be above 40 on March 9?',
    'Will Elon Musk reach $600b by June 30?',
    'Will Bitcoin hit $100k and Ethereum $4k by March 31?',
    'Will Strategy buy >1000 BTC by March 31?',
    'Will Bitcoin outperform gold in March?',
    'Bitcoin ETF approved by March 31?',
    'Will Bitcoin gas fees be above $5 on March 9?',
    'Will Bitcoin be above $91k on March 9 at 5 PM IST?',
    'Will Solana hit a new all time high by June 30?',
  ])('is not recognised as one: %s', (title) => {
    expect(read(title)).toMatch(/^(?:other|null)$/);
  });
});

describe('an ambiguity of a title', () => {
  it.each([
    ['Will Bitcoin be above $100k by March 31?', 'a state by a deadline'],
    ['Will Bitcoin hit $200k by 2032?', '"by 2032" may mean'],
    ['Will Bitcoin hit $200k by June?', '"by June" may mean'],
    ['Will Bitcoin trade above $93,000 on March 9?', 'at one moment or at any'],
    ['Will Bitcoin trade at $93,000 or lower on March 9?', 'at one moment or at any'],
    ['Will Tesla (TSLA) trade below $280 on March 7?', 'at one moment or at any'],
    ['Will Solana exceed $240 on March 9?', 'at one moment or at any'],
  ])('is stated as a doubt, and the market is not linked: %s', (title, doubt) => {
    const again = { id: 'b', venue: 'venue_x', title, contextDate: NEAR };
    const { labels, links } = matchTitles([{ ...again, id: 'a' }, again]);
    expect(labels.a!.kind).toBe('price_binary');
    expect(labels.a!.evidence.doubt).toContain(doubt);
    expect(labels.a!.confidence).toBeLessThan(0.5);
    expect(links).toEqual([]);
  });
});

describe('something with another price than the asset of its name', () => {
  it.each([
    'Will Bitcoin futures be above $70,000 on March 9?',
    'Will Bitcoin futures (CME) be above $70,000 on March 9?',
    'Will gold futures be above $5,100 on March 9?',
    'Will Ripple stock be above $2.50 on March 9?',
    "Will Hyperliquid's share price be above $40 on March 9?",
    'Will Solana shares be above $200 on March 9?',
    'Will one share of Ripple be above $2.50 on March 9?',
    'Will the Tesla token be above $300 on March 9?',
    'Sun Communities (SUI) above $130 on March 9?',
    'Grayscale Bitcoin Mini Trust (BTC) above $48 on March 9?',
    'LTC Properties (LTC) above $35 on March 9?',
    'Will TRX Gold (TRX) be above $1 on March 9?',
    'MetaDAO (META) above $700 on March 7?',
    'Alphabet Class A (GOOG) above $190 on March 7?',
    'Alphabet Class C (GOOGL) above $190 on March 7?',
    'S&P 500 (SPY) above $700 on March 7?',
    'S&P 500 (ES) above 7,100 on March 7?',
    'Nasdaq 100 (QQQ) above $620 on March 7?',
    'Dow (DOW) above $31 on March 7?',
    'Strategy (STRC) above $98 on March 7?',
    'constructor (BTC) above $98 on March 7?',
    'Bitcoin (constructor) above $98 on March 7?',
    'Nasdaq closes above 25,000 on March 7?',
    'Bitcoin above $70,000 on Sunday, March 10?',
    'Will Bitcoin be above $70,000 on Election Day?',
  ])('is not recognised as that asset: %s', (title) => {
    expect(read(title)).toBe('other');
  });

  it('does not include stock of a company or a token of a chain', () => {
    expect(read('Will Tesla stock be above $300 on March 7?')).toBe('TSLA gte 300 at_time 2031-03-07');
    expect(read('Will Apple Inc. (AAPL) close above $300 on March 7?')).toBe('AAPL gte 300 at_time 2031-03-07');
    expect(read('Will the Bonk token be above $0.01 on March 9?')).toBe('BONK gte 0.01 at_time 2031-03-09');
    expect(read('Will Dow Inc. (DOW) close above $31 on March 7?')).toBe('DOW gte 31 at_time 2031-03-07');
    expect(read('Will Nasdaq (NDX) close above 25,000 on March 7?')).toBe('NDX gte 25000 at_time 2031-03-07');
  });
});

/** Matches two titles of two venues and returns true if their link is used. */
const used = (one: string, other: string, changes: Partial<TitleInput> = {}) => {
  const input = { venue: 'venue_b', contextDate: NEAR, ...changes };
  return matchTitles([
    { ...input, id: 'a', title: one },
    { ...input, id: 'b', venue: 'venue_x', title: other },
  ]).links.some((link) => link.used);
};

describe('two share classes of one company', () => {
  it.each([
    ['Alphabet (GOOGL)', 'GOOGL'],
    ['Alphabet Class A', 'GOOGL'],
    ['Alphabet (GOOG)', 'GOOG'],
    ['Alphabet Inc. (GOOG)', 'GOOG'],
    ['Alphabet Inc. Class C (GOOG)', 'GOOG'],
    ['Google (GOOG)', 'GOOG'],
    ['GOOG', 'GOOG'],
    ['$GOOG', 'GOOG'],
    ['Alphabet Class C', 'GOOG'],
  ])('are distinguished: %s is %s', (name, symbol) => {
    expect(read(`Will ${name} close above $190 on March 7?`)).toBe(`${symbol} gte 190 at_time 2031-03-07`);
  });

  it('are not linked with each other', () => {
    const close = (name: string) => `Will ${name} close above $190 on March 7?`;
    expect(used(close('Google (GOOG)'), close('Alphabet Class C'))).toBe(true);
    expect(used(close('Google (GOOG)'), close('Alphabet (GOOGL)'))).toBe(false);
    expect(used(close('GOOG'), close('Google'))).toBe(false);
    expect(used(close('GOOGL'), close('Google'))).toBe(false);
    expect(used(close('Alphabet'), close('Alphabet'))).toBe(false);
  });

  it('are in doubt if neither the title nor the rules state the class', () => {
    for (const title of [
      'Will Alphabet close above $190 on March 7?',
      'Google above $190 on March 7, 4PM ET?',
      'Will Alphabet close between $190 and $200 on March 7?',
    ]) {
      const doubted = { id: 'x', venue: 'venue_b', title, contextDate: NEAR };
      const label = (rules: string) => matchTitles([{ ...doubted, rules }]).labels.x;
      expect(label('')).toMatchObject({ confidence: 0.3, evidence: { doubt: expect.stringContaining('not stated') } });
      expect(label('Neither GOOGL nor GOOG is excluded.')).toMatchObject({ confidence: 0.3 });
      expect(label('The close of its Class A shares.')?.confidence).toBeGreaterThan(0.75);
    }
  });

  it('are distinguished by the rules if the title has only the name', () => {
    const close = 'Will Alphabet close above $190 on March 7?';
    expect(used(close, close, { description: 'The official close of Alphabet (GOOGL).' })).toBe(true);
    expect(used(close, close, { description: 'The official close of Alphabet Class C (GOOG).' })).toBe(false);
  });
});

it('a metal with the ticker of its future is not the metal at its spot price', () => {
  const above = (name: string) => `Will ${name} be above $5,100 on March 7 at 5PM ET?`;
  const between = (name: string) => `Will ${name} be between $52 and $53 on March 7 at 5PM ET?`;
  expect(used(above('Gold (GC)'), above('Gold (GC)'))).toBe(true);
  expect(used(above('Gold (XAUUSD)'), above('gold'))).toBe(true);
  expect(used(above('Gold (GC)'), above('gold'))).toBe(false);
  expect(used(between('Silver (SI)'), between('Silver (SI)'))).toBe(true);
  expect(used(between('Silver (SI)'), between('silver'))).toBe(false);
  const upDown = (name: string) => `${name} Up or Down - March 7, 3PM ET`;
  expect(used(upDown('Gold'), upDown('Gold'))).toBe(true);
  expect(used(upDown('Gold (GC)'), upDown('Gold'))).toBe(false);
});

it('an up-or-down day is from noon to noon for coins, and not for metals', () => {
  expect(read('Bonk Up or Down on March 9?')).toBe('BONK up_down 2031-03-09');
  expect(read('Silver Up or Down on March 7?')).toBe('SILVER up_down null');
});

describe('a word that is also a symbol or a name', () => {
  const above = (name: string) => read(`Will ${name} be above $12 on March 9?`);
  it.each([
    'the coin',
    'the Coin',
    'a coin',
    'link',
    'the Link',
    'the open',
    'the dot',
    'the op',
    'a sol',
    'the apt',
    'one ton',
    'the atom',
    'the hype',
    'the meta',
    'the near',
    'the circle',
    'the maker',
    'the curve',
    'the strategy',
    'the apple',
    'etc',
  ])('is no asset as %s', (words) => {
    expect(above(words)).toBe('other');
  });

  it.each([
    ['COIN', 'COIN'],
    ['$coin', 'COIN'],
    ['Coinbase (COIN)', 'COIN'],
    ['LINK', 'LINK'],
    ['link/usd', 'LINK'],
    ['chainlink', 'LINK'],
    ['OPEN', 'OPEN'],
    ['SOL', 'SOL'],
    ['solana', 'SOL'],
    ['APT', 'APT'],
    ['Toncoin (TON)', 'TON'],
    ['Near', 'NEAR'],
    ['near protocol', 'NEAR'],
    ['Meta', 'META'],
    ['META', 'META'],
    ['Circle', 'CRCL'],
    ['Maker (MKR)', 'MKR'],
    ['Strategy', 'MSTR'],
    ['Apple', 'AAPL'],
    ['oil', 'WTI'],
    ['gold', 'GOLD'],
    ['btc', 'BTC'],
  ])('is an asset as %s', (words, symbol) => {
    expect(above(words)).toBe(`${symbol} gte 12 at_time 2031-03-09`);
  });

  it('is no asset after an article in a title entirely in capitals', () => {
    expect(read('WILL THE COIN CLOSE ABOVE $12 ON MARCH 7?')).toBe('other');
    expect(read('WILL COIN CLOSE ABOVE $12 ON MARCH 7?')).toBe('COIN gte 12 at_time 2031-03-07');
  });

  it('is not an asset mentioned in a question', () => {
    expect(read('Who wins the Open?')).toBe('null');
    expect(read('Is the Link a bridge?')).toBe('null');
    expect(read('Is OPEN a buy?')).toBe('other');
  });
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

describe('a negated price question', () => {
  const at = 'on March 9 at 5PM ET';

  it.each([
    [`Will Ethereum not be above $3,100 ${at}?`, 'ETH lte 3100 at_time 2031-03-09'],
    [`Will Ethereum not be below $3,100 ${at}?`, 'ETH gte 3100 at_time 2031-03-09'],
    [`Will Ethereum not be at $3,100 or higher ${at}?`, 'ETH lte 3100 at_time 2031-03-09'],
    ['Will AMD not close above $310 on March 6?', 'AMD lte 310 at_time 2031-03-06'],
  ])('is recognised: %s', (title, expected) => {
    expect(read(title)).toBe(expected);
  });

  it('is linked as the inverse of the affirmed one', () => {
    const { links } = matchTitles([
      { id: 'a', venue: 'venue_b', title: `Will Ethereum be above $3,100 ${at}?`, contextDate: NEAR },
      { id: 'b', venue: 'venue_c', title: `Will Ethereum not be above $3,100 ${at}?`, contextDate: NEAR },
    ]);
    expect(links).toMatchObject([{ used: true, polarity: 'inverse' }]);
  });

  it.each([
    'Will Ethereum not reach $3,100 by March 31?',
    'Will Ethereum not be above $3,100 by March 31?',
    'Will Ethereum not trade above $3,100 on March 9?',
    'Will Ethereum never be above $3,100 on March 9?',
    `Will Ethereum not be between $3,100 and $3,200 ${at}?`,
  ])('is not recognised otherwise: %s', (title) => {
    expect(read(title)).toMatch(/^(?:other|null)$/);
  });
});

describe('statements that differ in a sign or in capitals', () => {
  it.each([
    ['Will Fitch lift Italy to AA+ by June 30, 2031?', 'Will Fitch lift Italy to AA- by June 30, 2031?'],
    ['Will Fitch lift Italy to A+ by June 30, 2031?', 'Will Fitch lift Italy to A by June 30, 2031?'],
    ['Will Fitch lift Italy to A− by June 30, 2031?', 'Will Fitch lift Italy to A by June 30, 2031?'],
    ['Will OPEC+ raise quotas in 2031?', 'Will OPEC raise quotas in 2031?'],
    ['Will BRICS+ launch a currency in 2031?', 'Will BRICS launch a currency in 2031?'],
    ['Will Apple TV+ raise its price in 2031?', 'Will Apple TV raise its price in 2031?'],
    ['Will C++ lose its lead in 2031?', 'Will C# lose its lead in 2031?'],
    ['Will F# lose its lead in 2031?', 'Will F lose its lead in 2031?'],
    ['Will UK growth = Spain in 2031?', 'Will UK growth ≠ Spain in 2031?'],
    ['Will UK growth = Spain in 2031?', 'Will UK growth Spain in 2031?'],
    ['Will $ROE be delisted again soon by June 30, 2031?', 'Will Roe be delisted again soon by June 30, 2031?'],
    ['Will IT be nationalised in 2031?', 'Will it be nationalised in 2031?'],
    ['Will tourists visit the US in 2031?', 'Will tourists visit us in 2031?'],
    ['Will the WHO be asked in 2031?', 'Will who be asked in 2031?'],
    ['Will ACT be admired in 2031?', 'Will act be admired in 2031?'],
    ['Will hepatitis A be cured in 2031?', 'Will hepatitis be cured in 2031?'],
    ['Will Turkey be sold abroad in 2031?', 'Will turkey be sold abroad in 2031?'],
    ["Will Wendy's be sold in 2031?", 'Will Wendy be sold in 2031?'],
    ['Will Netlix hire Will Roe in 2031?', 'Will Netlix hire Roe in 2031?'],
    ['Will S&P be sold abroad in 2031?', 'Will P be sold abroad in 2031?'],
    ['Будет ли Газпром продан by June 30, 2031?', 'Будет ли Лукойл продан by June 30, 2031?'],
    ['WILL IT BE NATIONALISED IN 2031?', 'WILL IT BE NATIONALISED IN 2031?'],
    ['Will Roe+ win the 2032 French presidential election?', 'Will Roe win the 2032 French presidential election?'],
    ["Will the A's win the 2031 World Series?", 'Will the As win the 2031 World Series?'],
  ])('are not linked: %s and %s', (one, other) => {
    expect(used(one, other)).toBe(false);
  });

  it.each([
    ['Will OPEC+ raise quotas in 2031?', 'OPEC+ raise quotas before 2032?'],
    ['Will NATO admit Ruritania in 2031?', 'Will Nato admit Ruritania in 2031?'],
    ['Will the U.S. leave the treaty in 2031?', 'Will the US leave the treaty in 2031?'],
    ['Will Fitch lift Italy to AA− in 2031?', 'Will Fitch lift Italy to AA- in 2031?'],
    ['Will Johnson & Roe merge in 2031?', 'Will Johnson and Roe merge in 2031?'],
    ['Will José Roe be pardoned in 2031?', 'Will Jose Roe be pardoned in 2031?'],
    [
      'Will J. D. Roe win the 2032 French presidential election?',
      'Will JD Roe win the 2032 French presidential election?',
    ],
    [
      'Will J.D. Roe win the 2032 French presidential election?',
      'Will JD Roe win the 2032 French presidential election?',
    ],
  ])('are linked if only the spelling differs: %s and %s', (one, other) => {
    expect(used(one, other)).toBe(true);
  });
});

describe('the final of a numbered season', () => {
  const wins = (name: string) => `Will the Ohio Lions win ${name}?`;

  it.each([
    ['Super Bowl LXV', 'Super Bowl 65'],
    ['Super Bowl LXV', 'the 2031 Super Bowl'],
    ['Super Bowl XC', 'Super Bowl 90'],
  ])('is the same in %s and %s', (one, other) => {
    expect(used(wins(one), wins(other))).toBe(true);
  });

  it.each([
    ['Super Bowl LXV', 'Super Bowl LXVI'],
    ['Super Bowl LXV', 'the 2030 Super Bowl'],
    ['the 2030 Super Bowl LXV', 'Super Bowl LXV'],
  ])('is not the same in %s and %s', (one, other) => {
    expect(used(wins(one), wins(other))).toBe(false);
  });
});
