import { describe, expect, it } from 'vitest';
import { title } from './titles.fixture.ts';

describe('equality and source', () => {
  const daily = 'Will the price of Bitcoin be above $64,000 on March 12?';
  it('are read from the rules', () => {
    expect(title(daily, { description: 'greater than or equal to the price' }).strike!.strict).toBe(false);
    expect(title(daily, { description: 'higher than the price' }).strike!.strict).toBe(true);
    const rules = 'The resolution source for this market is Example Exchange, specifically its candles.';
    expect(title(daily, { description: rules }).settlementSource).toBe('example exchange');
    expect(title(daily, { resolutionSource: 'https://example.test/BTC' }).settlementSource).toBe(
      'https://example.test/btc',
    );
    expect(title(daily).settlementSource).toBeNull();
  });
});

describe('the comparison in the evidence', () => {
  it.each([
    ['Will the price of Bitcoin be above $64,000 on March 12?', 'gte', 'above'],
    ['Will Bitcoin exceed $64,000 on March 12 at 5PM ET?', 'gte', 'above'],
    ['Bitcoin > 64,000 on March 12?', 'gte', 'above'],
    ['Will Ethereum close at or above 2.5k on March 12?', 'gte', 'at or above'],
    ['Will XRP be at least $2 on March 12?', 'gte', 'at or above'],
    ['Bitcoin ≥ 64,000 on March 12?', 'gte', 'at or above'],
    ['Will Bitcoin be at $64,000 or higher on March 12?', 'gte', 'at or above'],
    ['Will Bitcoin be above $64,000 or more on March 12?', 'gte', 'at or above'],
    ['Will Bitcoin be at $64,000+ on March 12?', 'gte', 'at or above'],
    ['Will Bitcoin be greater than or equal to $64,000 on March 12?', 'gte', 'at or above'],
    ['Will Bitcoin be no less than $64,000 on March 12?', 'gte', 'at or above'],
    ['Will the price of Solana be less than $118.5 on March 12 at 8AM ET?', 'lte', 'below'],
    ['Will Dogecoin be at most $0.2 on March 12?', 'lte', 'at or below'],
    ['Will Dogecoin be at $0.2 or under on March 12?', 'lte', 'at or below'],
    ['Will Bitcoin not be above $64,000 on March 12 at 5PM ET?', 'lte', 'at or below'],
    ['Will Bitcoin not be at least $64,000 on March 12 at 5PM ET?', 'lte', 'below'],
    ['Will Bitcoin not be below $64,000 on March 12 at 5PM ET?', 'gte', 'at or above'],
    ['Will Bitcoin be above $64,000 at any point in March?', 'gte', 'above'],
    ['Will Bitcoin be at or above $64,000 at any point in March?', 'gte', 'at or above'],
    ['Will Bitcoin reach $150k by March 31?', 'gte', 'reach'],
    ['Will Bitcoin reach or exceed $150k by March 31?', 'gte', 'reach'],
    ['Will Bitcoin rise to or above $150k by March 31?', 'gte', 'reach'],
    ['Will Bitcoin rise above $150k or more by March 31?', 'gte', 'reach'],
    ['Will Bitcoin hit (HIGH) $150k by March 31?', 'gte', 'reach'],
    ['Will Bitcoin rise above $150k by March 31?', 'gte', 'rise above'],
    ['Will Bitcoin surpass $150k by March 31?', 'gte', 'rise above'],
    ['Will Bitcoin climb past $150k by March 31?', 'gte', 'rise above'],
    ['Will Bitcoin dip to $50,000 in March?', 'lte', 'fall to'],
    ['Will Bitcoin fall to or below $50,000 in March?', 'lte', 'fall to'],
    ['Will Bitcoin hit (LOW) $50,000 in March?', 'lte', 'fall to'],
    ['Will Bitcoin fall below $50,000 in March?', 'lte', 'fall below'],
  ] as const)('in %s, with op %s, is %s', (text, op, expected) => {
    const { strike, evidence } = title(text);
    expect([strike!.op, evidence.op]).toEqual([op, expected]);
  });

  it('is that of the title, whatever the rules state about equality', () => {
    const text = 'Will the price of Bitcoin be above $64,000 on March 12?';
    const { strike, evidence } = title(text, { description: 'equal to or above the price' });
    expect([strike!.strict, evidence.op]).toEqual([false, 'above']);
  });

  it('does not replace the original words', () => {
    const { evidence } = title('Will Bitcoin not be trading above $64,000 on March 12 at 5PM ET?');
    expect(evidence.semantics).toBe('not be trading above … on March 12 at 5PM ET');
  });

  it.each([
    'Will the price of Bitcoin be between $64,000 and $66,000 on March 12?',
    'Will Bitcoin close within $64,000-$66,000 on March 12?',
    'Will the market cap of Bitcoin be between $1T and $2T on March 12?',
  ])('in %s is between', (text) => {
    expect(title(text)).toMatchObject({ kind: 'price_range', evidence: { op: 'between' } });
  });

  it.each([
    ['Bitcoin Up or Down - March 12, 3PM ET', 'up_down'],
    ['Fed decreases interest rates by 25 bps after March 2031 meeting?', 'rate'],
    ['Will it rain in London on March 12?', 'other'],
  ])('is absent for %s', (text, kind) => {
    const found = title(text);
    expect(found.kind).toBe(kind);
    expect(found.evidence).not.toHaveProperty('op');
  });
});
