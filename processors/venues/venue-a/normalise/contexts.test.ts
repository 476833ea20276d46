import { describe, expect, it } from 'vitest';
import { type AssetContext, contextTopics } from '#schemas/topics/normalised';
import { driveVenueA, START } from './venue-a.fixture.ts';

const contexts = (venue: ReturnType<typeof driveVenueA>): AssetContext[] =>
  venue.stage.emittedTo(contextTopics.venue_a);
const perp = (change: Record<string, unknown> = {}) => ({
  funding: '-0.0000125',
  openInterest: '63.90',
  prevDayPx: '69000.0',
  dayNtlVlm: '1274069.4620399997',
  premium: null,
  oraclePx: '70090.0',
  markPx: '70100.0',
  midPx: '70100.5',
  impactPxs: null,
  dayBaseVlm: '19.8655',
  ...change,
});
const coinOf = (name: string) => ({ name, szDecimals: 2, maxLeverage: 10 });

describe('a context', () => {
  it('is emitted with every figure', () => {
    const venue = driveVenueA();
    venue.frame('activeAssetCtx', { coin: 'BTC', ctx: perp() }, 5);
    expect(venue.stage.outputs).toMatchObject([{ topic: 'derived.contexts.venue_a', key: 'BTC' }]);
    expect(contexts(venue)).toEqual([
      {
        provider: 'venue_a_perp',
        coin: 'BTC',
        receivedAt: START + 5,
        markPrice: '70100',
        oraclePrice: '70090',
        midPrice: '70100.5',
        funding: '-0.0000125',
        openInterest: '63.9',
        dayNotionalVolume: '1274069.4620399997',
        dayBaseVolume: '19.8655',
        previousDayPrice: '69000',
        circulatingSupply: null,
      },
    ]);
  });

  it('is emitted again only when the value of a figure changed', () => {
    const venue = driveVenueA();
    venue.frame('activeAssetCtx', { coin: 'BTC', ctx: perp() });
    venue.frame('activeAssetCtx', { coin: 'BTC', ctx: perp({ markPx: '70100.00', premium: '0.1' }) }, 5);
    expect(contexts(venue)).toHaveLength(1);
    venue.frame('activeAssetCtx', { coin: 'BTC', ctx: perp({ midPx: null }) }, 6);
    expect(contexts(venue)[1]).toMatchObject({ midPrice: null, markPrice: '70100', receivedAt: START + 6 });
  });

  it('retains figures that a message does not contain', () => {
    const venue = driveVenueA();
    venue.frame('activeAssetCtx', { coin: 'BTC', ctx: perp() });
    venue.frame('allMids', { mids: { BTC: '70200' } }, 5);
    venue.frame('activeSpotAssetCtx', { coin: '@1', ctx: { markPx: '2', midPx: null, prevDayPx: '1.9' } }, 6);
    expect(contexts(venue).slice(1)).toMatchObject([
      { coin: 'BTC', midPrice: '70200', funding: '-0.0000125' },
      { coin: '@1', markPrice: '2', midPrice: null, previousDayPrice: '1.9', funding: null, oraclePrice: null },
    ]);
  });

  it('belongs to the coin at its index in an answer, and the coins are emitted too', () => {
    const venue = driveVenueA();
    venue.answer({ type: 'metaAndAssetCtxs' }, [
      { universe: [coinOf('BTC'), coinOf('ETH')] },
      [perp(), perp({ markPx: '2.50' })],
    ]);
    expect(contexts(venue)).toMatchObject([{ coin: 'BTC' }, { coin: 'ETH', markPrice: '2.5' }]);
    expect(venue.stage.outputs.map(({ topic, key }) => `${topic} ${key}`).slice(0, 2)).toEqual([
      'derived.instruments.venue_a BTC',
      'derived.instruments.venue_a ETH',
    ]);
  });

  it('is matched by its coin name in a spot answer, whatever the order', () => {
    const venue = driveVenueA();
    const meta = {
      tokens: [
        { name: 'USD', index: 0, szDecimals: 8 },
        { name: 'AAA', index: 4, szDecimals: 3 },
      ],
      universe: [
        { name: 'AAA/USD', tokens: [4, 0], index: 0 },
        { name: '@3', tokens: [4, 0], index: 3 },
      ],
    };
    venue.answer({ type: 'spotMetaAndAssetCtxs' }, [
      meta,
      [
        { coin: '@3', markPx: '3', circulatingSupply: '595188109.0328299999' },
        { coin: 'AAA/USD', markPx: '5' },
      ],
    ]);
    expect(contexts(venue)).toMatchObject([
      { coin: '@3', markPrice: '3', circulatingSupply: '595188109.0328299999' },
      { coin: 'AAA/USD', markPrice: '5' },
    ]);
  });

  it('is matched by position in a message with all dexes, as far as universe and contexts reach', () => {
    const venue = driveVenueA();
    const frame = {
      ctxs: [
        ['', [perp(), perp({ markPx: '7' })]],
        ['abc', [perp({ markPx: '8' })]],
      ],
    };
    venue.frame('allDexsAssetCtxs', frame);
    expect(contexts(venue)).toEqual([]);
    venue.answer({ type: 'meta' }, { universe: [coinOf('BTC')] });
    venue.answer({ type: 'meta', dex: 'abc' }, { universe: [coinOf('abc:GOLD'), coinOf('abc:OIL')] });
    venue.frame('allDexsAssetCtxs', frame, 5);
    venue.answer({ type: 'meta' }, { universe: [coinOf('BTC'), coinOf('NEW')] }, 6);
    venue.frame('allDexsAssetCtxs', frame, 7);
    venue.frame('assetCtxs', { ctxs: [perp({ markPx: '9' })] }, 8);
    venue.frame('spotAssetCtxs', [{ coin: '@9', markPx: '1' }], 9);
    expect(contexts(venue).map(({ coin, provider, markPrice }) => `${coin} ${provider} ${markPrice}`)).toEqual([
      'BTC venue_a_perp 70100',
      'abc:GOLD venue_a_dex 8',
      'NEW venue_a_perp 7',
      'BTC venue_a_perp 9',
      '@9 venue_a_perp 1',
    ]);
    expect(venue.stage.deadLetters).toEqual([]);
  });

  it.each([
    [{ type: 'metaAndAssetCtxs' }, [{ universe: [coinOf('BTC')] }, [perp({ markPx: 5 })]], 'answer[1][0].markPx'],
    [{ type: 'allMids' }, { BTC: '1', ETH: 2 }, 'answer.ETH'],
  ])('is refused with its complete answer if it is malformed: %j', (request, body, detail) => {
    const venue = driveVenueA();
    venue.answer(request, body);
    expect(venue.stage.outputs).toEqual([]);
    expect(venue.stage.deadLetters).toMatchObject([{ topic: 'raw.venue_a.info', reason: 'malformed_answer' }]);
    expect(venue.stage.deadLetters[0]!.detail.startsWith(detail)).toBe(true);
  });
});

describe('mids', () => {
  const mids = (venue: ReturnType<typeof driveVenueA>, coin: string) =>
    contexts(venue)
      .filter((context) => context.coin === coin)
      .map(({ midPrice }) => midPrice);

  it('are emitted if they changed', () => {
    const venue = driveVenueA();
    venue.answer({ type: 'allMids' }, { BTC: '1.0', '@1': '2' });
    venue.frame('allMids', { mids: { BTC: '1.0', '@1': '2.5' } }, 5);
    venue.frame('allMids', { mids: { 'abc:GOLD': '7' }, dex: 'abc' }, 6);
    expect(contexts(venue).map(({ coin, midPrice }) => `${coin} ${midPrice}`)).toEqual([
      'BTC 1',
      '@1 2',
      '@1 2.5',
      'abc:GOLD 7',
    ]);
  });

  it('do not replace a mid of which the newest context states that there is none', () => {
    const venue = driveVenueA();
    venue.frame('activeAssetCtx', { coin: 'BTC', ctx: perp({ midPx: null }) });
    venue.frame('allMids', { mids: { BTC: '9' } }, 1);
    venue.frame('allMids', { mids: { BTC: '9.5' } }, 2);
    expect(mids(venue, 'BTC')).toEqual([null]);
    venue.frame('activeAssetCtx', { coin: 'BTC', ctx: perp({ midPx: '9.25' }) }, 3);
    venue.frame('allMids', { mids: { BTC: '10' } }, 4);
    expect(mids(venue, 'BTC')).toEqual([null, '9.25', '10']);
    venue.frame('activeAssetCtx', { coin: 'BTC', ctx: perp({ midPx: null }) }, 5);
    venue.frame('allMids', { mids: { BTC: '10.5' } }, 6);
    expect(mids(venue, 'BTC')).toEqual([null, '9.25', '10', null]);
  });

  it('are used for a coin whose contexts state nothing about a mid', () => {
    const venue = driveVenueA();
    venue.frame('activeAssetCtx', { coin: 'BTC', ctx: { markPx: '1' } });
    venue.frame('allMids', { mids: { BTC: '9' } }, 1);
    venue.frame('activeAssetCtx', { coin: 'BTC', ctx: { markPx: '2' } }, 2);
    venue.frame('allMids', { mids: { BTC: '9.5' } }, 3);
    expect(mids(venue, 'BTC')).toEqual([null, '9', '9', '9.5']);
  });
});
