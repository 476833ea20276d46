/** Titles of things that look alike and are not: share classes, metals, seasons, capitals. */
import { describe, expect, it } from 'vitest';
import { matchTitles } from '../match-titles.ts';
import { NEAR, read, used } from './titles.fixture.ts';

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
