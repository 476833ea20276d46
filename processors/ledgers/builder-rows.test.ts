import { describe, expect, it } from 'vitest';
import type { VenueAFill } from '#schemas/topics/account-fills';
import { type BuilderRow, nameBuilders, rowKey } from './builder-rows.ts';
import type { FillCopy, FillSource } from './merge-copies.ts';
import { coinFill } from './venue-a-fills.fixture.ts';

const [ONE, TWO] = [`0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`];
const copiesOf = (time: number, fields: Partial<VenueAFill> = {}, source: FillSource = 'orders'): FillCopy[] => [
  { source, fill: coinFill(time, { builderFee: '0.05', ...fields }) },
];
const row = (time: number, fields: Partial<VenueAFill> = {}): BuilderRow => ({
  builder: fields.builder ?? ONE!,
  key: rowKey({ coin: 'BTC', side: 'buy', price: '100', qty: '1', time, ...fields }),
});
const named = (fills: readonly FillCopy[][], rows: readonly BuilderRow[]) =>
  nameBuilders(fills, rows).map(({ source, fill: { time, builder } }) => [source, time, builder]);

describe('the builder of a fill', () => {
  it('is that of the row of its second, with the same coin, side, price and quantity', () => {
    expect(named([copiesOf(5_321)], [row(5_000, { price: '100.0', qty: '1.00' })])).toEqual([['exports', 5_321, ONE]]);
  });

  it.each<[string, BuilderRow]>([
    ['second', row(6_000)],
    ['coin', row(5_000, { coin: 'ETH' })],
    ['side', row(5_000, { side: 'sell' })],
    ['price', row(5_000, { price: '100.1' })],
    ['quantity', row(5_000, { qty: '2' })],
  ])('is not that of a row of another %s', (_, other) => {
    expect(named([copiesOf(5_321)], [other])).toEqual([]);
  });

  it('is that of the rows in their order, where fills are equal', () => {
    const fills = [copiesOf(5_100), copiesOf(5_100, { tid: 7 }), copiesOf(5_900)];
    expect(named(fills, [row(5_000), row(5_000, { builder: TWO })])).toEqual([
      ['exports', 5_100, ONE],
      ['exports', 5_100, TWO],
    ]);
  });

  it('is left to a fill that another source names, which has its row', () => {
    const fills = [copiesOf(5_100), copiesOf(5_200, { builder: ONE }, 'node')];
    expect(named(fills, [row(5_000), row(5_000, { builder: TWO })])).toEqual([['exports', 5_100, TWO]]);
  });

  it('is nobody without a fee', () => {
    expect(named([copiesOf(5_100, { builderFee: null }), copiesOf(5_200, { builderFee: '0' })], [row(5_000)])).toEqual(
      [],
    );
  });

  it('stays the same if the fills are named again', () => {
    const rows = [row(5_000), row(5_000, { builder: TWO })];
    const fills = [copiesOf(5_100), copiesOf(5_200)];
    const again = nameBuilders(fills, rows).map((copy, at) => [...fills[at]!, copy]);
    expect(named(again, rows)).toEqual(named(fills, rows));
  });
});
