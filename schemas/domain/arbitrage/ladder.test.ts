import { expect, it } from 'vitest';
import { venueAOutcomeFee } from '../../venues/venue-a/outcome-fee.ts';
import { venueBFee } from '../../venues/venue-b/taker-fee.ts';
import { type Decimal, formatDecimal, parseDecimal } from '../decimal.ts';
import { type LadderRow, ladderOf } from './ladder.ts';
import type { ArbitrageKind } from './pair.ts';
import type { PairSide, SidePair } from './profit-sizes.ts';

type Levels = readonly (readonly [price: string, size: string])[];
const side = (levels: Levels, fields: Partial<PairSide> = {}): PairSide => ({
  levels: levels.map(([price, size]) => ({ price: parseDecimal(price), size: parseDecimal(size) })),
  model: venueAOutcomeFee,
  rate: parseDecimal('0'),
  mirrored: false,
  ...fields,
});
const pairOf = (first: Levels, second: Levels, kind: ArbitrageKind = 'cross_provider'): SidePair => ({
  kind,
  first: side(first),
  second: side(second),
});
const sizes = (...texts: string[]) => texts.map(parseDecimal);
const text = (value: Decimal | null) => (value === null ? null : formatDecimal(value));
const texts = ({ size, quote }: LadderRow) => [
  text(size),
  quote && Object.fromEntries(Object.entries(quote).map(([name, value]) => [name, text(value)])),
];

it('quotes each size by its own walk through both books, with the fees of every level', () => {
  const pair: SidePair = {
    kind: 'cross_provider',
    first: side(
      [
        ['0.5', '100'],
        ['0.52', '100'],
      ],
      { model: venueBFee, rate: parseDecimal('0.07') },
    ),
    second: side([['0.56', '150']], { rate: parseDecimal('0.0007') }),
  };
  const ladder = ladderOf([pair], sizes('100', '10', '151'), [])!;
  expect(ladder.pair).toBe(pair);
  expect(ladder.rows.map(texts)).toEqual([
    [
      '100',
      {
        grossEdge: '0.06',
        netEdge: '0.042108',
        firstPrice: '0.5',
        firstFee: '0.0175',
        secondPrice: '0.56',
        secondFee: '0.000392',
        profit: '4.2108',
      },
    ],
    [
      '10',
      {
        grossEdge: '0.06',
        netEdge: '0.042108',
        firstPrice: '0.5',
        firstFee: '0.0175',
        secondPrice: '0.56',
        secondFee: '0.000392',
        profit: '0.42108',
      },
    ],
    ['151', null],
  ]);
  expect([text(ladder.bestSize), text(ladder.breakEvenSize)]).toEqual(['150', '150']);
});

it('pays for both tokens of a negation pair', () => {
  const ladder = ladderOf([pairOf([['0.4', '10']], [['0.5', '20']], 'negation_pair')], sizes('4'), [])!;
  expect(ladder.rows.map(texts)).toEqual([
    [
      '4',
      {
        grossEdge: '0.1',
        netEdge: '0.1',
        firstPrice: '0.4',
        firstFee: '0',
        secondPrice: '0.5',
        secondFee: '0',
        profit: '0.4',
      },
    ],
  ]);
  expect([text(ladder.bestSize), text(ladder.breakEvenSize)]).toEqual(['10', '10']);
});

it('is that of the pair with the largest profit at its best size, whatever the sizes of its rows', () => {
  const narrow = pairOf([['0.4', '5']], [['0.6', '5']]);
  const wide = pairOf([['0.45', '100']], [['0.5', '100']]);
  const losing = pairOf([['0.6', '1000']], [['0.5', '1000']]);
  const ladder = ladderOf([losing, narrow, wide], sizes('1'), sizes('1'))!;
  expect(ladder.pair).toBe(wide);
  expect(ladderOf([narrow, { ...narrow }], sizes('1'), [])!.pair).toBe(narrow);
});

it('is that of the pair with the largest net edge at the first compared size that any pair holds, if none is profitable', () => {
  const thin = pairOf([['0.5', '5']], [['0.499', '5']]);
  const deep = pairOf([['0.5', '50']], [['0.4', '50']]);
  const better = pairOf([['0.5', '50']], [['0.41', '50']]);
  const chosen = (...compared: string[]) => ladderOf([thin, deep, better], sizes('10'), sizes(...compared));
  expect(chosen('100', '10', '5')).toMatchObject({ pair: better, bestSize: null, breakEvenSize: null });
  expect(chosen('5', '10')!.pair).toBe(thin);
  expect(chosen('100')!.pair).toBe(thin);
  expect(chosen('5')!.rows).toEqual([{ size: parseDecimal('10'), quote: null }]);
  expect(ladderOf([], sizes('10'), sizes('5'))).toBeNull();
});
