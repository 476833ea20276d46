import { describe, expect, it } from 'vitest';
import { sourceRulesOf } from '#schemas/domain/candles/sources';
import { countBars, countGaps, countPoints, partOf, stripsOf } from '../../format/series.ts';
import { STRIP_COLORS } from '../../parts/plot-candles.ts';
import { candlesOf, INTERVALS, newestSpan, rangesOf, SOURCES, volumeOf } from './candles.ts';

const MINUTE = 60_000;
const bar = (minute: number, source?: string | null) => ({
  ts: minute * MINUTE,
  open: 1,
  high: 3,
  low: 0,
  close: 2,
  volume: 5,
  ...(source === undefined ? {} : { source }),
});
const bars = [bar(0, 'venue_node'), bar(1, null), bar(5, 'official_api'), bar(6, 'venue_node')];

describe('the bars of a market', () => {
  it('have a meaning and a form of its own for each source of prices', () => {
    const { rules } = sourceRulesOf('venue_a_perp');
    const sources = new Set(rules.flatMap((rule) => rule.sources));
    expect(new Set(SOURCES.map(([source]) => source))).toEqual(new Set([...sources, null]));
    expect(SOURCES).toHaveLength(STRIP_COLORS.length);
  });

  it('have a gap where buckets have no bar', () => {
    const { times, series, note } = candlesOf(bars, MINUTE);
    expect(times).toEqual([0, 1, 2, 5, 6].map((minute) => minute * MINUTE));
    expect(series.map(({ label }) => label)).toEqual(['Open', 'High', 'Low', 'Close']);
    expect(series[3]).toEqual({ label: 'Close', field: 'close', values: [2, 2, null, 2, 2] });
    expect(note?.values).toEqual(['venue_node', null, null, 'official_api', 'venue_node']);
    expect(countGaps(volumeOf(bars, MINUTE))).toBe(1);
  });

  it('have neither sources nor strips where no bar states one', () => {
    const data = volumeOf([bar(0)], MINUTE);
    expect(data.note).toBeUndefined();
    expect(stripsOf(data)).toEqual([]);
  });

  it('have a strip for each source that a bar has, in the order of preference', () => {
    const data = candlesOf(bars, MINUTE);
    expect(stripsOf(data).map(({ source, form }) => [source, form])).toEqual([
      ['venue_node', 0],
      ['official_api', 1],
      [null, 3],
    ]);
    // The gap is no bar of unknown source.
    expect([countBars(data, 'venue_node'), countBars(data, null)]).toEqual([2, 1]);
  });

  it('are shown from the start of a span up to its end', () => {
    const part = partOf(candlesOf(bars, MINUTE), { from: MINUTE, to: 6 * MINUTE });
    expect(part.times).toEqual([MINUTE, 2 * MINUTE, 5 * MINUTE]);
    expect(part.note?.values).toEqual([null, null, 'official_api']);
    expect([countPoints({ ...part, series: part.series.slice(0, 1) }), countGaps(part)]).toEqual([2, 4]);
    expect(partOf(candlesOf(bars, MINUTE), { from: 7 * MINUTE, to: 9 * MINUTE }).times).toEqual([]);
    expect(partOf(candlesOf(bars, MINUTE), { from: 3 * MINUTE, to: 4 * MINUTE }).times).toEqual([]);
  });
});

describe('what a chart shows at first', () => {
  it('ends with the newest bar', () => {
    expect(newestSpan(bars, MINUTE, 3 * MINUTE, 0)).toEqual({ from: 4 * MINUTE, to: 7 * MINUTE });
  });

  it('ends with the bucket of the time now if there is no bar', () => {
    expect(newestSpan([], MINUTE, MINUTE, 90_000)).toEqual({ from: MINUTE, to: 2 * MINUTE });
  });

  it.each(INTERVALS)('is a range of 90 to 2,100 bars of %s', (_name, _text, stepMs) => {
    const ranges = rangesOf(stepMs);
    expect(ranges.length).toBeGreaterThanOrEqual(2);
    for (const [, , ms] of ranges) {
      expect(ms / stepMs).toBeGreaterThanOrEqual(90);
      expect(ms / stepMs).toBeLessThanOrEqual(2_100);
    }
  });
});
