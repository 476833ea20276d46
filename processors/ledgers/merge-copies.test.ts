import { describe, expect, it } from 'vitest';
import { addCopy, type FillCopy, mergeCopies } from './merge-copies.ts';
import { coinFill } from './venue-a-fills.fixture.ts';

const permutations = <T>(items: readonly T[]): T[][] =>
  items.length === 0
    ? [[]]
    : items.flatMap((item) => permutations(items.filter((other) => other !== item)).map((rest) => [item, ...rest]));
const merge = (copies: readonly FillCopy[]) => mergeCopies(copies.reduce<readonly FillCopy[]>(addCopy, []));

describe('copies of a fill', () => {
  it('give the same fill in any order: the first source that states a field counts', () => {
    const copies: FillCopy[] = [
      { source: 'node', fill: coinFill(1, { builder: '0xb', builderFee: '0.05', fee: '0.2' }) },
      { source: 'twaps', fill: coinFill(1, { builderFee: '0.07', fee: '0.3', liquidationMark: '9' }) },
      { source: 'orders', fill: coinFill(1, { fee: '0.4' }) },
    ];
    const expected = coinFill(1, { builder: '0xb', builderFee: '0.07', fee: '0.4', liquidationMark: '9' });
    for (const order of permutations(copies)) expect(merge(order)).toEqual(expected);
  });

  it('of a file of a builder name only a builder whom no other source names', () => {
    const exported: FillCopy = { source: 'exports', fill: coinFill(1, { builder: '0xe', builderFee: '0.05' }) };
    const listed: FillCopy = { source: 'orders', fill: coinFill(1, { builderFee: '0.05' }) };
    const node: FillCopy = { source: 'node', fill: coinFill(1, { builder: '0xb', builderFee: '0.05' }) };
    for (const order of permutations([exported, listed])) expect(merge(order).builder).toBe('0xe');
    for (const order of permutations([exported, listed, node])) expect(merge(order).builder).toBe('0xb');
  });

  it('of one source correct each other and remove nothing', () => {
    const first: FillCopy = { source: 'orders', fill: coinFill(1, { builderFee: '0.05', fee: '0.2' }) };
    expect(merge([first, { source: 'orders', fill: coinFill(1, { fee: '0.3' }) }])).toEqual(
      coinFill(1, { builderFee: '0.05', fee: '0.3' }),
    );
  });

  it('that add nothing are not retained', () => {
    const copies: FillCopy[] = [
      { source: 'node', fill: coinFill(1) },
      { source: 'orders', fill: coinFill(1, { builderFee: '0.05' }) },
    ];
    for (const order of permutations(copies))
      expect(order.reduce<readonly FillCopy[]>(addCopy, []).map(({ source }) => source)).toEqual(['orders']);
  });
});
