import { describe, expect, it } from 'vitest';
import { type EventHistory, edgeChart, marksOf, midsChart, notLiveSpans, spreadChart } from './event-history.ts';

const NOON_MS = Date.parse('2026-03-01T12:00:00Z');
const iso = (after: number) => new Date(NOON_MS + after).toISOString();
const state = (after: number, marketId: string, state: string | null): EventHistory['states'][number] => ({
  ts: iso(after),
  provider: 'venue_b',
  marketId,
  state,
});
const spans = (...states: EventHistory['states']) =>
  notLiveSpans(states, NOON_MS + 100).map(({ from, to }) => [from - NOON_MS, to - NOON_MS]);

describe('notLiveSpans', () => {
  it('is one span while any leg is not live', () => {
    const both = [state(0, 'a', 'live'), state(0, 'b', 'live')];
    expect(spans(...both)).toEqual([]);
    expect(
      spans(
        ...both,
        state(10, 'a', 'stale'),
        state(20, 'b', 'disconnected'),
        state(30, 'a', 'live'),
        state(40, 'b', 'live'),
      ),
    ).toEqual([[10, 40]]);
  });
  it('begins with the first record of a leg without a book, and lasts until the end', () => {
    expect(spans(state(0, 'a', null), state(5, 'a', 'live'), state(50, 'a', 'stale'))).toEqual([
      [0, 5],
      [50, 100],
    ]);
  });
});

describe('the charts of an event', () => {
  const history: EventHistory = {
    legs: [
      { provider: 'venue_a', marketId: 'a', points: [{ ts: iso(0), yesMid: 0.4 }] },
      {
        provider: 'venue_b',
        marketId: 'b',
        points: [
          { ts: iso(1), yesMid: 0.5 },
          { ts: iso(2), yesMid: null },
        ],
      },
    ],
    spreads: [
      { ts: iso(0), spread: 0.1 },
      { ts: iso(1), spread: null },
    ],
    edges: [
      { ts: iso(0), kind: 'cross_provider', netEdge: 0.01, size: 100 },
      { ts: iso(0), kind: 'negation_pair', netEdge: 0.02, size: 50 },
      { ts: iso(3), kind: 'cross_provider', netEdge: 0.03, size: 100 },
    ],
    states: [state(1, 'a', 'stale')],
  };
  const shades = [{ from: NOON_MS + 1, to: NOON_MS + 9 }];

  it('show the mids of all legs, each until it changes or is unknown', () => {
    expect(midsChart(history, NOON_MS + 9)).toEqual({
      times: [NOON_MS, NOON_MS + 1, NOON_MS + 2],
      series: [
        { label: 'venue_a', field: 'yesMid', values: [0.4, 0.4, 0.4] },
        { label: 'venue_b', field: 'yesMid', values: [null, 0.5, null] },
      ],
      shades,
    });
  });
  it('show the distance, with a gap where it is unknown and the times shaded that were not live', () => {
    expect(spreadChart(history, NOON_MS + 9)).toEqual({
      times: [NOON_MS, NOON_MS + 1],
      series: [{ label: 'Spread', field: 'spread', values: [0.1, null] }],
      shades,
    });
  });
  it('show the edges of each kind that there was', () => {
    const { times, series, columns } = edgeChart(history, NOON_MS + 9);
    expect(times).toEqual([NOON_MS, NOON_MS + 3]);
    expect(series.map(({ values }) => values)).toEqual([
      [0.01, 0.03],
      [0.02, null],
    ]);
    expect(columns!.map(({ values }) => values)).toEqual([
      [100, 100],
      [50, null],
    ]);
    const one = edgeChart({ ...history, edges: history.edges.slice(1, 2) }, NOON_MS);
    expect(one.series.map(({ label }) => label)).toEqual(['YES and NO']);
  });
  it('name what happened, oldest first, the same thing once', () => {
    const marks = marksOf({
      recentAnomalies: [
        { ts: iso(5), kind: 'wallet_burst' },
        { ts: iso(5), kind: 'wallet_burst' },
      ],
      disputeHistory: [{ ts: iso(2), phase: 'dispute' }],
      settlement: [{ resolvedAt: iso(9), provider: 'venue_b' }],
    });
    expect(marks).toEqual([
      { label: 'dispute', at: NOON_MS + 2 },
      { label: 'one wallet', at: NOON_MS + 5 },
      { label: 'venue_b resolved', at: NOON_MS + 9 },
    ]);
  });
});
