/** Titles in many wordings with their meaning, none copied from a venue: the recognition must follow from rules. */
import { describe, expect, it } from 'vitest';
import { matchTitles } from '../match-titles.ts';
import { expectNoPrice, expectRead, NEAR, read } from './titles.fixture.ts';

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
  ])('is recognised in: %s', expectRead);
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
  ])('is recognised in: %s', expectRead);

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
  ])('is recognised in: %s', expectRead);
});

describe('up or down', () => {
  it.each([
    ['Ethereum Up or Down - March 9, 3PM ET', 'ETH up_down 2031-03-09'],
    ['Bitcoin Up or Down - March 9, 11:45PM-12:00AM ET', 'BTC up_down 2031-03-10'],
    ['XRP Up or Down on March 9?', 'XRP up_down 2031-03-09'],
    ['S&P 500 (SPX) Up or Down on March 7?', 'SPX up_down null'],
  ])('is recognised in: %s', expectRead);
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
  ])('is not recognised as one: %s', expectNoPrice);
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

describe('a negated price question', () => {
  const at = 'on March 9 at 5PM ET';

  it.each([
    [`Will Ethereum not be above $3,100 ${at}?`, 'ETH lte 3100 at_time 2031-03-09'],
    [`Will Ethereum not be below $3,100 ${at}?`, 'ETH gte 3100 at_time 2031-03-09'],
    [`Will Ethereum not be at $3,100 or higher ${at}?`, 'ETH lte 3100 at_time 2031-03-09'],
    ['Will AMD not close above $310 on March 6?', 'AMD lte 310 at_time 2031-03-06'],
  ])('is recognised: %s', expectRead);

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
  ])('is not recognised otherwise: %s', expectNoPrice);
});
