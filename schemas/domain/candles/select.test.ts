import { describe, expect, it } from 'vitest';
import { type Decimal, formatDecimal, parseDecimal } from '../decimal.ts';
import { type Bar, complement, overlay } from './bars.ts';
import { preferredSpan, type SourceBar, type SourceRange, selectBars, splitPoints } from './select.ts';
import { INTERVALS, sourceRulesOf } from './sources.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const rules = sourceRulesOf('venue_a_perp');

const barAt = (openTime: number, price: string, fields: Partial<Bar> = {}): Bar => {
  const value = parseDecimal(price);
  const at = { from: openTime, until: openTime + MINUTE - 1, arrival: null };
  const prices = { open: value, high: value, low: value, close: value };
  return { ...prices, volume: parseDecimal('1'), trades: 1, openAt: at, closeAt: at, ...fields };
};
const bar = (source: string, openTime: number, price: string, intervalMs = MINUTE): SourceBar => ({
  source,
  intervalMs,
  openTime,
  receivedAt: 0,
  bar: barAt(openTime, price),
});
const range = (source: string, from: number, until: number | null, fields: Partial<SourceRange> = {}): SourceRange => ({
  source,
  intervalMs: MINUTE,
  kind: 'complete',
  from,
  until,
  ...fields,
});

/** The selection of the first bucket, as `<source> <open>`. */
function select(stepMs: number, bars: SourceBar[], ranges: SourceRange[], now = Number.POSITIVE_INFINITY): string {
  const selection = selectBars({ rules, bars, ranges, stepMs, now }).select(0);
  return `${selection.source} ${selection.bar && formatDecimal(selection.bar.open)}`;
}

describe('the bar of a bucket', () => {
  const all = [bar('venue_node', 0, '1'), bar('official_api', 0, '2'), bar('external_exchange', 0, '3')];

  it.each([
    ['ours', [range('venue_node', 0, null), range('official_api', 0, HOUR)], 'venue_node 1'],
    ["the venue's", [range('venue_node', 1, null), range('official_api', 0, HOUR)], 'official_api 2'],
    ["the exchange's", [range('venue_node', 1, null), range('external_exchange', 0, HOUR)], 'external_exchange 3'],
    ['ours without a source', [range('venue_node', 1, null), range('official_api', 1, HOUR)], 'null 1'],
  ])('is %s, by the first source in which it is complete', (_, ranges, expected) => {
    expect(select(MINUTE, all, ranges)).toBe(expected);
  });

  it('does not exist if the first complete source has none', () => {
    expect(select(MINUTE, all.slice(1), [range('venue_node', 0, null)])).toBe('venue_node undefined');
  });

  it('is not ours if a gap touches it, even for a moment', () => {
    const gap = (from: number, until: number | null) => range('venue_node', from, until, { kind: 'gap' });
    const complete = range('venue_node', 0, null);
    expect(select(MINUTE, all, [complete, gap(MINUTE - 1, 5 * MINUTE)])).toBe('null 1');
    expect(select(MINUTE, all, [complete, gap(MINUTE, null)])).toBe('venue_node 1');
    expect(select(MINUTE, all, [complete, gap(-5, 0)])).toBe('null 1');
    expect(select(MINUTE, all, [complete, gap(-5, -1)])).toBe('venue_node 1');
    expect(select(MINUTE, all, [complete, range('venue_node', 0, 0, { kind: 'none' })])).toBe('venue_node 1');
  });

  it('is ours without a source if the venue reported fewer trades than were recorded', () => {
    const gap = range('venue_node', 0, MINUTE, { kind: 'gap' });
    const ranges = [range('venue_node', 0, null), gap, range('official_api', 0, HOUR)];
    const ours = { ...bar('venue_node', 0, '1'), bar: barAt(0, '1', { trades: 3 }) };
    const answered = (trades: number) => ({ ...bar('official_api', 0, '2'), bar: barAt(0, '2', { trades }) });
    expect(select(MINUTE, [ours], ranges)).toBe('null 1');
    expect(select(MINUTE, [ours, answered(2)], ranges)).toBe('null 1');
    expect(select(MINUTE, [ours, answered(3)], ranges)).toBe('official_api 2');
    // A bar in progress may be older than our newest trades. The exchange is another market.
    expect(select(MINUTE, [ours, answered(2)], ranges, MINUTE - 1)).toBe('official_api 2');
    const exchange = range('external_exchange', 0, HOUR);
    expect(select(MINUTE, [ours, bar('external_exchange', 0, '3')], [gap, exchange])).toBe('external_exchange 3');
  });

  it("combines our minutes with the venue's, but the exchange's with none", () => {
    const ours = range('venue_node', 2 * MINUTE, null);
    const bars = [
      bar('venue_node', 3 * MINUTE, '1'),
      bar('official_api', MINUTE, '2'),
      bar('external_exchange', 0, '3'),
    ];
    expect(select(INTERVALS['5m'], bars, [ours, range('official_api', 0, 2 * MINUTE)])).toBe('official_api 2');
    expect(select(INTERVALS['5m'], bars, [ours, range('external_exchange', 0, 2 * MINUTE)])).toBe('null 1');
  });

  it("is the venue's own one of that length, then the exchange's, if minutes do not make it complete", () => {
    const own = [bar('official_api', 0, '5', HOUR), bar('external_exchange', 0, '6', HOUR), bar('venue_node', 0, '1')];
    const hour = { intervalMs: HOUR };
    const exchange = range('external_exchange', 0, 4 * HOUR, hour);
    expect(select(HOUR, own, [range('official_api', 0, HOUR, hour), exchange])).toBe('official_api 5');
    expect(select(HOUR, own, [exchange])).toBe('external_exchange 6');
    expect(select(4 * HOUR, own, [exchange])).toBe('external_exchange 6');
    expect(select(4 * HOUR, own, [range('external_exchange', 0, 3 * HOUR, hour)])).toBe('null 1');
  });

  it('in progress needs a source only for what has begun', () => {
    const bars = [bar('official_api', 0, '2')];
    const ranges = [range('official_api', 0, 2 * MINUTE)];
    expect(select(HOUR, bars, ranges, 2 * MINUTE - 1)).toBe('official_api 2');
    expect(select(HOUR, bars, ranges, 2 * MINUTE)).toBe('null undefined');
  });
});

describe('the complete buckets', () => {
  const complete = (ranges: SourceRange[], now: number, bars: SourceBar[] = []) =>
    selectBars({ rules, bars, ranges, stepMs: 10 * MINUTE, now }).complete.map(({ from, until }) => [
      from / MINUTE,
      until / MINUTE,
    ]);
  const minutes = (from: number, until: number | null, source = 'venue_node', fields: Partial<SourceRange> = {}) =>
    range(source, from * MINUTE, until && until * MINUTE, fields);

  it('are those that are complete by any rule', () => {
    const own = { intervalMs: 10 * MINUTE };
    expect(complete([minutes(5, 25), minutes(30, 40, 'official_api', own)], HOUR)).toEqual([
      [10, 20],
      [30, 40],
    ]);
    // Our minutes may be combined with those of the venue, but not with those of the exchange.
    expect(complete([minutes(5, 25), minutes(25, 30, 'official_api')], HOUR)).toEqual([[10, 30]]);
    expect(complete([minutes(5, 25), minutes(25, 30, 'external_exchange')], HOUR)).toEqual([[10, 20]]);
    const gap = minutes(21, 22, 'venue_node', { kind: 'gap' });
    expect(complete([minutes(5, 45), gap], HOUR)).toEqual([
      [10, 20],
      [30, 40],
    ]);
  });

  it('include the one in progress if what has begun of it is complete', () => {
    expect(complete([minutes(0, 25)], 25 * MINUTE)).toEqual([[0, 20]]);
    expect(complete([minutes(0, 25)], 25 * MINUTE - 1)).toEqual([[0, 30]]);
    expect(complete([minutes(0, null)], 25 * MINUTE)).toEqual([[0, Number.POSITIVE_INFINITY]]);
    const forming = bar('official_api', 20 * MINUTE, '1', 10 * MINUTE);
    expect(complete([minutes(0, 20)], 25 * MINUTE, [{ ...forming, receivedAt: 25 * MINUTE }])).toEqual([[0, 30]]);
    expect(complete([minutes(0, 20)], 25 * MINUTE, [forming])).toEqual([[0, 20]]);
  });

  it('include one of which the venue reported fewer trades than were recorded', () => {
    const bars = [bar('venue_node', 0, '1')];
    const { select: selected, complete: spans } = selectBars({
      rules,
      bars,
      ranges: [minutes(0, 10, 'official_api')],
      stepMs: MINUTE,
      now: HOUR,
    });
    expect([selected(0).source, spans]).toEqual([null, [{ from: 0, until: 10 * MINUTE }]]);
  });
});

it('bars may be joined only between the borders of ranges and the minute in progress', () => {
  const ranges = [range('venue_node', 1, null), range('venue_node', 3 * MINUTE + 5, 5 * MINUTE, { kind: 'gap' })];
  expect(splitPoints(ranges, 9 * MINUTE + 1)).toEqual([1, 3, 6, 9].map((minutes) => minutes * MINUTE));
});

describe('preferredSpan', () => {
  const between = { from: HOUR, until: 10 * HOUR };
  const preferred = (ranges: readonly SourceRange[]) => preferredSpan({ rules, ranges, stepMs: HOUR }, between);
  const span = (from: number, until: number) => ({ from, until, source: 'venue_node', intervalMs: MINUTE });

  it('returns the whole buckets in which recorded minutes are complete', () => {
    expect(preferred([range('venue_node', 0, null)])).toEqual(span(HOUR, 10 * HOUR));
    expect(preferred([range('venue_node', 2 * HOUR + 1, 5 * HOUR - 1)])).toEqual(span(3 * HOUR, 4 * HOUR));
  });
  it('returns the longest span that no gap touches', () => {
    const gap = range('venue_node', 3 * HOUR + 5, 4 * HOUR, { kind: 'gap' });
    expect(preferred([range('venue_node', 0, null), gap])).toEqual(span(5 * HOUR, 10 * HOUR));
  });
  it('returns nothing where recorded minutes are not complete', () => {
    const others = [range('official_api', 0, null), range('external_exchange', 0, null)];
    expect(preferred([...others, range('venue_node', 10 * HOUR, null)])).toBeUndefined();
  });
});

describe('the sides of a question', () => {
  const exact = (ts: number, arrival: number) => ({ from: ts, until: ts, arrival });

  it('are joined in the order of their trades', () => {
    const yes = barAt(0, '0.4', { openAt: exact(5, 2), closeAt: exact(9, 7) });
    const no = barAt(0, '0.7', { openAt: exact(5, 1), closeAt: exact(9, 8) });
    const joined = overlay(yes, complement(no));
    expect([joined.open, joined.close, joined.high, joined.low].map(formatDecimal)).toEqual([
      '0.3',
      '0.3',
      '0.4',
      '0.3',
    ]);
    expect([joined.trades, formatDecimal(joined.volume)]).toEqual([2, '2']);
  });

  it('open and close as the first one if an order is unknown', () => {
    const joined = overlay(barAt(0, '0.4'), barAt(0, '0.5', { openAt: exact(5, 1), closeAt: exact(9, 2) }));
    expect([joined.open, joined.close].map(formatDecimal)).toEqual(['0.4', '0.4']);
  });

  it('exchange high and low where prices become 1 − p', () => {
    const prices = { open: '0.2', high: '0.9', low: '0.1', close: '0.6' };
    const exactly = Object.fromEntries(
      Object.entries(prices).map(([name, text]) => [name, parseDecimal(text) as Decimal]),
    );
    const { open, high, low, close } = complement(barAt(0, '0.5', exactly));
    expect([open, high, low, close].map(formatDecimal)).toEqual(['0.8', '0.9', '0.1', '0.4']);
  });
});
