import { describe, expect, it } from 'vitest';
import { spotSampleTopic } from '#schemas/topics/daily';
import { driveVenueA, START } from './venue-a.fixture.ts';

const MINUTE = 60_000;
const TOKENS = [
  { name: 'USDC', index: 0, szDecimals: 8 },
  { name: 'HYPE', index: 150, szDecimals: 2 },
];
const META = { tokens: TOKENS, universe: [{ name: '@107', tokens: [150, 0], index: 107 }] };
const context = (fields: object = {}) => ({
  coin: '@107',
  markPx: '20.50',
  midPx: '20.4',
  prevDayPx: '19',
  dayNtlVlm: '2050.0',
  dayBaseVlm: '100.0',
  circulatingSupply: '333.0',
  totalSupply: '1000.0',
  ...fields,
});
const sampled = (venue: ReturnType<typeof driveVenueA>) => venue.stage.emittedTo(spotSampleTopic);

describe('the sample of a spot pair', () => {
  it('is what the newest contexts state at an hour mark', () => {
    const venue = driveVenueA();
    venue.answer({ type: 'spotMetaAndAssetCtxs' }, [META, [context()]]);
    venue.frame('spotAssetCtxs', [context({ markPx: '21' })], 1);
    venue.clock(2);
    expect(sampled(venue)).toEqual([]);
    venue.stage.restart();
    venue.clock(3, { hour: true });
    expect(sampled(venue)).toEqual([
      {
        coin: '@107',
        receivedAt: START + 3,
        pair: 'HYPE-USDC',
        canonical: true,
        markPrice: '21',
        dayBaseVolume: '100',
        dayNotionalVolume: '2050',
        circulatingSupply: '333',
      },
    ]);
  });

  it('is of contexts that are at most ten minutes old, also if nothing in them changed', () => {
    const venue = driveVenueA();
    venue.answer({ type: 'spotMetaAndAssetCtxs' }, [META, [context()]]);
    venue.clock(10 * MINUTE, { hour: true });
    expect(sampled(venue)).toHaveLength(1);
    venue.clock(10 * MINUTE + 1, { hour: true });
    expect(sampled(venue)).toHaveLength(1);
    venue.frame('activeSpotAssetCtx', { coin: '@107', ctx: context() }, 11 * MINUTE);
    venue.clock(20 * MINUTE, { hour: true });
    expect(sampled(venue)).toHaveLength(2);
  });

  it('does not exist without a mark price, for a delisted pair and for an outcome in the list of contexts', () => {
    const venue = driveVenueA();
    venue.answer({ type: 'spotMetaAndAssetCtxs' }, [META, [context({ markPx: null })]]);
    venue.frame('spotAssetCtxs', [context({ markPx: null }), context({ coin: '#120' })], 1);
    venue.clock(2, { hour: true });
    venue.frame('spotAssetCtxs', [context()], 3);
    const list = { tokens: TOKENS, universe: [{ name: '@9', tokens: [150, 0], index: 9 }] };
    venue.answer({ type: 'spotMeta' }, list, 4);
    venue.answer({ type: 'spotMeta' }, list, 10_004);
    venue.clock(10_005, { hour: true });
    expect(sampled(venue)).toEqual([]);
  });
});
