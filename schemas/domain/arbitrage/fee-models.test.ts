import { describe, expect, it } from 'vitest';
import { parseDecimal } from '../decimal.ts';
import { PRICE_PROVIDERS, PROVIDERS, VENUES } from '../providers.ts';
import { defineFeeModel } from './fee-model.ts';
import { FEE_MODELS, feesOverTime } from './fee-models.ts';
import { pricingTermsOverTime } from './terms.ts';

const modelOf = (provider: string, since: number) => defineFeeModel({ provider, since, shareFee: () => 0n, step: 1n });

describe('the fee models', () => {
  it('cover every provider of questions whose venue has an adapter', () => {
    const isFollowed = (provider: string) => VENUES.some((venue) => provider.startsWith(venue));
    const asking = PROVIDERS.filter((provider) => isFollowed(provider) && !PRICE_PROVIDERS.has(provider));
    const covered = new Set(FEE_MODELS.filter(({ since }) => since === 0).map(({ provider }) => provider));
    expect([...covered].sort()).toEqual([...asking].sort());
  });

  it('are valid from their start until the next model of their provider', () => {
    const models = [modelOf('x', 300), modelOf('y', 200), modelOf('x', 0), modelOf('y', 300)];
    const termsAt = pricingTermsOverTime('100', models);
    const validAt = (time: number) => {
      const { fees, size } = termsAt(time);
      expect(size).toBe(parseDecimal('100'));
      return [fees.since, fees.models.get('x')?.since, fees.models.get('y')?.since];
    };
    expect(validAt(0)).toEqual([0, 0, undefined]);
    expect(validAt(199)).toEqual([0, 0, undefined]);
    expect(validAt(200)).toEqual([200, 0, 200]);
    expect(validAt(300)).toEqual([300, 300, 300]);
    expect(validAt(9_000)).toEqual([300, 300, 300]);
  });

  it('are rejected if two of one provider start together', () => {
    expect(() => feesOverTime([modelOf('x', 5), modelOf('y', 5)])).not.toThrow();
    expect(() => feesOverTime([modelOf('x', 5), modelOf('x', 5)])).toThrow('two fee models');
  });
});
