import { describe, expect, it } from 'vitest';
import { candlesOf, volumeOf } from './candles.ts';

const bar = (ts: number, source?: string | null) => ({
  ts,
  open: 1,
  high: 3,
  low: 0,
  close: 2,
  volume: 5,
  ...(source === undefined ? {} : { source }),
});

describe('the bars of a market', () => {
  it('have a gap where a bucket has no bar', () => {
    const { times, series, note } = candlesOf([bar(0, 'a'), bar(60_000, null), bar(300_000, 'b')], 60_000);
    expect(times).toEqual([0, 60_000, 120_000, 300_000]);
    expect(series[0]).toEqual({ label: 'Close', values: [2, 2, null, 2] });
    expect(note?.values).toEqual(['a', null, null, 'b']);
  });
  it('have no column of sources where no bar states one', () => {
    expect(volumeOf([bar(0)], 60_000)).toEqual({ times: [0], series: [{ label: 'Volume', values: [5] }] });
  });
});
