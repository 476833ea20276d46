import { describe, expect, it } from 'vitest';
import { recogniseTexts } from './recognise.ts';
import { texts } from './titles.fixture.ts';

describe('a machine-readable description', () => {
  const outcome = (description: string, fields = {}) =>
    recogniseTexts(texts({ venue: 'venue_a', marketId: '#70', title: 'Recurring', description, fields }));

  it('states every part with certainty', () => {
    const found = outcome('class:priceBinary|underlying:HYPE|expiry:20310312-0630|targetPrice:41.250|period:15m');
    expect(found).toMatchObject({
      kind: 'price_binary',
      confidence: 1,
      source: 'structured',
      linkable: true,
      settlementSource: 'venue_a mark price',
      strike: { underlying: 'HYPE', threshold: '41.25', op: 'gte', strict: false, semantics: 'at_time' },
      deadline: { day: '2031-03-12', atMs: Date.UTC(2031, 2, 12, 6, 30) },
      evidence: { op: 'at or above' },
    });
  });

  it.each([
    ['index:0', 'below'],
    ['index:1', 'between'],
    ['index:2', 'at or above'],
  ])('of bucket %s states %s', (description, op) => {
    const fields = { class: 'priceBucket', underlying: 'SOL', expiry: '20310309-0600', priceThresholds: '190,210' };
    expect(outcome(description, fields).evidence.op).toBe(op);
  });

  it.each([
    ['a day that does not exist', 'class:priceBinary|underlying:BTC|expiry:20310230-0600|targetPrice:1|period:1d'],
    ['an hour that does not exist', 'class:priceBinary|underlying:BTC|expiry:20310212-2400|targetPrice:1|period:1d'],
    ['no target', 'class:priceBinary|underlying:BTC|expiry:20310212-0600|period:1d'],
    ['a malformed target', 'class:priceBinary|underlying:BTC|expiry:20310212-0600|targetPrice:1e5|period:1d'],
  ])('with %s is not linked', (_, description) => {
    expect(outcome(description)).toMatchObject({ kind: 'price_binary', linkable: false, strike: null });
  });

  it('of a bucket is a range, also if only the fields state it', () => {
    const bucket = 'class:priceBucket|underlying:BTC|expiry:20310312-0600|priceThresholds:1,2|period:1d';
    expect(outcome(bucket)).toMatchObject({ kind: 'price_range', underlying: 'BTC', linkable: false });
    expect(outcome('index:0', { class: 'priceBucket', underlying: 'ETH' })).toMatchObject({
      kind: 'price_range',
      underlying: 'ETH',
    });
  });

  it('of another venue or form is ignored', () => {
    expect(recogniseTexts(texts({ description: 'class:priceBinary|underlying:BTC' })).kind).toBeNull();
    expect(outcome('metadata=category:sports|subCategory:football')).toMatchObject({ kind: 'sports', linkable: false });
  });
});

describe('a ticker', () => {
  const ticker = (marketId: string, description = '') =>
    recogniseTexts(texts({ venue: 'venue_c', marketId, description }));

  it.each([
    ['KXBTCD-31MAR1207-T72299.99', 'BTC 72300 gte equal at_time 2031-03-12 2031-03-12T11:00'],
    ['KXSOLH-31JAN1217-T150', 'SOL 150 gte strict at_time 2031-01-12 2031-01-12T22:00'],
    ['KXBTCMAXY-31-DEC31-129999.99', 'BTC 130000 gte equal touch 2031-12-31 2032-01-01T04:59'],
    ['KXETHMINY-31DEC31-1500', 'ETH 1500 lte strict touch 2031-12-31 2032-01-01T04:59'],
  ])('is recognised: %s', (marketId, expected) => {
    const { strike, deadline } = ticker(marketId);
    const { underlying, threshold, op, strict, semantics } = strike!;
    const at = new Date(deadline!.atMs!).toISOString().slice(0, 16);
    expect(`${underlying} ${threshold} ${op} ${strict ? 'strict' : 'equal'} ${semantics} ${deadline!.day} ${at}`).toBe(
      expected,
    );
  });

  it.each([
    ['KXBTCD-31MAR1207-T72299.99', {}, undefined],
    ['KXBTCMAXY-31-DEC31-129999.99', {}, undefined],
    ['KXBTCD-31MAR1207-T72299.99', { fields: { strike_type: 'greater' } }, 'at or above'],
    ['KXBTCD-31MAR1207-T72299.99', { fields: { strike_type: 'less' } }, 'below'],
    ['KXSOLH-31JAN1217-T150', { fields: { strike_type: 'greater' } }, 'above'],
    ['KXSOLH-31JAN1217-T150', { fields: { strike_type: 'greater_or_equal' } }, 'at or above'],
    ['KXSOLH-31JAN1217-T150', { fields: { strike_type: 'less_or_equal' } }, 'at or below'],
    ['KXSOLH-31JAN1217-T150', { description: 'If the average is at or above 150.' }, 'at or above'],
    ['KXETHMINY-31DEC31-1500', { description: 'If the price is below 1500.' }, 'fall below'],
    ['KXBTCMAXY-31-DEC31-129999.99', { description: 'If the price is above 129999.99.' }, 'reach'],
  ])('%s with %j states the comparison at the threshold that was read: %s', (marketId, changes, op) => {
    const found = recogniseTexts(texts({ venue: 'venue_c', marketId, ...changes }));
    expect(found.kind).toBe('price_binary');
    expect(found.evidence.op).toBe(op);
  });

  it('needs strike and hour from the rules if it contains only the day', () => {
    const found = ticker('KXDOGED-31AUG17', 'If the average is above 0.2449999 at 2 AM EDT.');
    expect(found.strike).toMatchObject({ underlying: 'DOGE', threshold: '0.245' });
    expect(found.deadline).toEqual({ day: '2031-08-17', atMs: Date.UTC(2031, 7, 17, 6) });
  });

  it.each(['KXBTCD-31MAR3207-T5', 'KXBTCD-31MAR1224-T5', 'KXNOCOIND-31MAR1207-T5', 'KXDOGED-31AUG17', 'other'])(
    '%s states no strike',
    (marketId) => {
      expect(ticker(marketId).strike).toBeNull();
    },
  );

  it('of a bucket is a range', () => {
    expect(ticker('KXBTC-31SEP1316-B68200')).toMatchObject({ kind: 'price_range', underlying: 'BTC' });
  });
});
