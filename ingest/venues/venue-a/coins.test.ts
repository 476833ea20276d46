import { describe, expect, it } from 'vitest';
import { chooseBookCoins, outcomeCoins, type Perp, readOutcomes, readPerps } from './coins.ts';
import { slotOf, wantedSubscriptions } from './subscriptions.ts';

const perps = (count: number): Perp[] =>
  Array.from({ length: count }, (_, index) => ({ coin: `C${index}`, dayNotional: 1_000 - index }));

describe('readPerps', () => {
  it('returns tradable coins by falling daily notional, each with its own context', () => {
    const universe = [{ name: 'A' }, { name: 'GONE', isDelisted: true }, { name: 'B' }, { name: 'C' }];
    const contexts = [{ dayNtlVlm: '10.5' }, { dayNtlVlm: '99' }, { dayNtlVlm: '200.0' }, {}];
    expect(readPerps([{ universe }, contexts])).toEqual([
      { coin: 'B', dayNotional: 200 },
      { coin: 'A', dayNotional: 10.5 },
      { coin: 'C', dayNotional: 0 },
    ]);
  });

  it.each([[null], [{}], [[]], [[{ universe: 'x' }]], [[{ universe: [null, 3, { name: '' }] }, null]]])(
    'finds nothing in %j',
    (answer) => {
      expect(readPerps(answer)).toEqual([]);
    },
  );
});

describe('outcomes', () => {
  it('have a coin for each side', () => {
    const outcomes = readOutcomes({ outcomes: [{ outcome: 12 }, { outcome: 0 }, { name: 'broken' }] });
    expect(outcomes).toEqual([12, 0]);
    expect(outcomeCoins(outcomes)).toEqual(['#120', '#121', '#0', '#1']);
  });
});

describe('chooseBookCoins', () => {
  it('chooses that many of the largest coins', () => {
    expect(chooseBookCoins(perps(10), '3', new Set())).toEqual(['C0', 'C1', 'C2']);
    expect(chooseBookCoins(perps(2), '3', new Set())).toEqual(['C0', 'C1']);
    expect(chooseBookCoins(perps(10), '0', new Set(['C0']))).toEqual([]);
  });

  it('retains a watched coin until its rank exceeds the limit by half', () => {
    expect(chooseBookCoins(perps(10), '4', new Set(['C4', 'C5', 'C6']))).toEqual(['C0', 'C1', 'C2', 'C3', 'C4', 'C5']);
  });

  it('chooses the coins that the setting lists', () => {
    expect(chooseBookCoins(perps(3), 'ETH,@107,xyz:TSLA,ETH', new Set())).toEqual(['ETH', '@107', 'xyz:TSLA']);
  });
});

describe('wantedSubscriptions', () => {
  it('subscribes to trades of every coin, books of outcome and chosen coins, and contexts of perps', () => {
    const wanted = wantedSubscriptions({ perps: perps(2), outcomeCoins: ['#10', '#11'], bookCoins: ['C0'] });
    expect(wanted.map(({ type, coin }) => `${type} ${coin ?? ''}`.trim())).toEqual([
      'allMids',
      'outcomeMetaUpdates',
      'trades C0',
      'trades C1',
      'trades #10',
      'l2Book #10',
      'trades #11',
      'l2Book #11',
      'l2Book C0',
      'activeAssetCtx C0',
      'activeAssetCtx C1',
    ]);
  });

  it('assigns all subscriptions of a coin to one slot', () => {
    const slots = ['trades', 'l2Book', 'activeAssetCtx'].map((type) => slotOf({ type, coin: 'ETH' }, 8));
    expect(new Set(slots).size).toBe(1);
    expect(slotOf({ type: 'allMids' }, 8)).toBe(0);
  });
});
