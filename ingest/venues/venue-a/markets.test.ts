import { describe, expect, it } from 'vitest';
import {
  chooseBookCoins,
  type Market,
  outcomeCoins,
  readMarkets,
  readOutcomeMarkets,
  readOutcomes,
  readPerps,
  replaceEmptyLists,
} from './markets.ts';

const marketsOf = (count: number): Market[] =>
  Array.from({ length: count }, (_, index) => ({ coin: `C${index}`, dayNotional: 1_000 - index }));
const volumes = (...all: string[]) => all.map((dayNtlVlm) => ({ dayNtlVlm }));
const universe = (...names: string[]) => ({ universe: names.map((name) => ({ name })) });
const NONE = { perps: null, dexes: null, pairs: null, contexts: null };

describe('replaceEmptyLists', () => {
  const lists = { perps: [universe('BTC')], dexes: [universe('BTC')], pairs: [universe('@1'), []] };
  const previous = { perps: [universe('X')], dexes: [universe('X')], pairs: [universe('@9'), []] };

  it.each([
    [{}, lists],
    [{ dexes: {} }, { ...lists, dexes: previous.dexes }],
    [{ dexes: [] }, { ...lists, dexes: previous.dexes }],
    [{ pairs: [] }, { ...lists, pairs: previous.pairs }],
    [{ pairs: [universe(), []] }, { ...lists, pairs: previous.pairs }],
  ])('uses the previous list where one lists nothing: %j', (change, expected) => {
    expect(replaceEmptyLists({ ...lists, ...change }, previous)).toEqual(expected);
  });

  it('has no other list at the start', () => {
    expect(replaceEmptyLists({ ...lists, pairs: [] }, null)).toEqual({ ...lists, pairs: [] });
  });
});

describe('readPerps', () => {
  it('returns tradable coins, each with its own context', () => {
    const coins = [{ name: 'A' }, { name: 'GONE', isDelisted: true }, { name: 'B' }, { name: 'C' }];
    expect(readPerps([{ universe: coins }, [...volumes('10.5', '99', '200.0'), {}]])).toEqual([
      { coin: 'A', dayNotional: 10.5 },
      { coin: 'B', dayNotional: 200 },
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

describe('readMarkets', () => {
  const pairs = [
    universe('PURR/USDC', '@107', '@9'),
    [
      { coin: '@107', dayNtlVlm: '30' },
      { coin: 'PURR/USDC', dayNtlVlm: '4' },
    ],
  ];
  const dexes = [
    universe('BTC'),
    { universe: [{ name: 'one:A' }, { name: 'one:B', isDelisted: true }, { name: 'one:C' }] },
    universe(),
    [universe('two:A'), []],
  ];
  const contexts = {
    data: {
      ctxs: [
        ['', volumes('999')],
        ['one', volumes('1', '2', '300')],
        ['two', volumes('20')],
      ],
    },
  };

  it('ranks perpetuals, contracts and pairs together by their volume, without delisted ones', () => {
    const markets = readMarkets({ perps: [universe('BTC'), volumes('100')], dexes, pairs, contexts });
    expect(markets.map(({ coin, dayNotional }) => `${coin} ${dayNotional}`)).toEqual([
      'one:C 300',
      'BTC 100',
      '@107 30',
      'two:A 20',
      'PURR/USDC 4',
      'one:A 1',
      '@9 0',
    ]);
  });

  it('ranks contracts last while no frame has reported their volumes', () => {
    const markets = readMarkets({ ...NONE, dexes, pairs });
    expect(markets.map(({ coin }) => coin)).toEqual(['@107', 'PURR/USDC', '@9', 'one:A', 'one:C', 'two:A']);
  });

  it.each([null, {}, [], 'x', [null, 3, {}], { data: { ctxs: [3, null, ['one']] } }])('ignores %j', (bad) => {
    expect(readMarkets({ perps: bad, dexes: bad, pairs: bad, contexts: bad })).toEqual([]);
  });
});

describe('outcomes', () => {
  it('have a coin for each side', () => {
    const outcomes = readOutcomes({ outcomes: [{ outcome: 12 }, { outcome: 0 }, { name: 'broken' }] });
    expect(outcomes).toEqual([12, 0]);
    expect(outcomeCoins(outcomes)).toEqual(['#120', '#121', '#0', '#1']);
  });

  it('have the volume of the spot contexts, and none where these do not contain them', () => {
    const pairs = [universe('@1'), [{ coin: '#120', dayNtlVlm: '7.5' }]];
    expect(readOutcomeMarkets(['#120', '#121'], pairs)).toEqual([
      { coin: '#120', dayNotional: 7.5 },
      { coin: '#121', dayNotional: 0 },
    ]);
  });
});

describe('chooseBookCoins', () => {
  it('chooses that many of the largest coins', () => {
    expect(chooseBookCoins(marketsOf(10), '3', new Set())).toEqual(['C0', 'C1', 'C2']);
    expect(chooseBookCoins(marketsOf(2), '3', new Set())).toEqual(['C0', 'C1']);
    expect(chooseBookCoins(marketsOf(10), '0', new Set(['C0']))).toEqual([]);
  });

  it('retains a watched coin until its rank exceeds the limit by half', () => {
    expect(chooseBookCoins(marketsOf(10), '4', new Set(['C4', 'C5', 'C6']))).toEqual([
      'C0',
      'C1',
      'C2',
      'C3',
      'C4',
      'C5',
    ]);
  });

  it('chooses the coins that the setting lists', () => {
    expect(chooseBookCoins(marketsOf(3), 'ETH,@107,xyz:TSLA,ETH', new Set())).toEqual(['ETH', '@107', 'xyz:TSLA']);
  });
});
