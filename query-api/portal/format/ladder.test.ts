import { describe, expect, it } from 'vitest';
import { type Ladder, ladderChart, shownUntil } from './ladder.ts';

const quoted = (size: number, profitUsd: number) => ({
  size,
  grossEdge: 0.06,
  netEdge: profitUsd / size,
  buyPrice: 0.5,
  sellPrice: 0.56,
  buyFee: 0.0175,
  sellFee: 0.0004,
  profitUsd,
});
const LADDER: Ladder = {
  kind: 'cross_provider',
  rows: [quoted(100, 4), { size: 1_000, reason: 'thin_book' }, quoted(10, 0.5)],
  breakEvenSize: 150.5,
  bestSize: 100,
  quoteAgeMs: 5,
  fetchedAt: '2026-01-15T12:10:00.000Z',
};
const chart = (fields: Partial<Ladder> = {}) => ladderChart({ ...LADDER, ...fields }, (reason) => `why: ${reason}`);

describe('the chart of a ladder', () => {
  it('has the profit of each size by rising size, and the reason of a size without a quote', () => {
    const { axis, series, missing } = chart();
    expect(axis).toEqual({ label: 'Shares', digits: 0, values: [10, 100, 1_000] });
    expect(series).toEqual([{ label: 'Profit, USD', field: 'profitUsd', values: [0.5, 4, null] }]);
    expect(missing).toEqual([null, null, 'why: thin_book']);
  });

  it('has every other field of a row in its table, named after what the second half does', () => {
    const fields = chart().columns!.map(({ field }) => field);
    expect(fields).toEqual(['netEdge', 'grossEdge', 'buyPrice', 'sellPrice', 'buyFee', 'sellFee']);
    const labelOf = (kind: Ladder['kind']) => chart({ kind }).columns![3]!.label;
    expect([labelOf('cross_provider'), labelOf('negation_pair')]).toEqual(['Sell YES at', 'Buy NO at']);
  });

  it('names the best and the break-even size, together where they are the same, and neither without a profit', () => {
    expect(chart().marks).toEqual([
      { label: 'best', at: 100 },
      { label: 'break-even', at: 150.5 },
    ]);
    expect(chart({ breakEvenSize: 100 }).marks).toEqual([{ label: 'best and break-even', at: 100 }]);
    expect(chart({ breakEvenSize: null, bestSize: null }).marks).toEqual([]);
  });

  it('is drawn to beyond the named sizes, without any to the largest size that has a value', () => {
    expect(shownUntil(chart({ breakEvenSize: 200 }))).toBe(320);
    expect(shownUntil(chart({ breakEvenSize: null, bestSize: null }))).toBe(100);
    expect(shownUntil(chart({ rows: [], breakEvenSize: null, bestSize: null }))).toBeNull();
  });

  it('has one place for a size that was named twice', () => {
    expect(chart({ rows: [quoted(5, 1), quoted(5, 1)] }).axis.values).toEqual([5]);
  });
});
