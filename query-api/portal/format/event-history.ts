/** The history of an event as charts (`GET /v1/events/{universalId}/history` and `/health`); pure. */
import { legNames } from './leg-names.ts';
import { anomalyName, wordsOf } from './names.ts';
import type { ChartSeries, Mark, TimeChart } from './series.ts';
import type { Span } from './span.ts';

export interface EventHistory {
  readonly legs: readonly {
    readonly provider: string;
    readonly marketId: string;
    readonly points: readonly { readonly ts: string; readonly yesMid: number | null }[];
  }[];
  readonly spreads: readonly { readonly ts: string; readonly spread: number | null }[];
  readonly edges: readonly {
    readonly ts: string;
    readonly kind: 'cross_provider' | 'negation_pair';
    readonly netEdge: number;
    readonly size: number;
  }[];
  readonly states: readonly {
    readonly ts: string;
    readonly provider: string;
    readonly marketId: string;
    readonly state: string | null;
  }[];
}

/** The fields of an event's health that state what happened to it. */
export interface Happenings {
  readonly recentAnomalies: readonly { readonly ts: string; readonly kind: string }[];
  readonly disputeHistory: readonly { readonly ts: string; readonly phase: string }[];
  readonly settlement: readonly { readonly resolvedAt: string; readonly provider: string }[];
}

const EDGE_KINDS = [
  ['cross_provider', 'one venue, the other'],
  ['negation_pair', 'YES and NO'],
] as const;

/** The spans in which the prices of at least one leg were not live, each as long as it lasted; the last one ends at `to`. */
export function notLiveSpans(states: EventHistory['states'], to: number): Span[] {
  const notLive = new Set<string>();
  const spans: Span[] = [];
  let since: number | null = null;
  for (const { ts, provider, marketId, state } of states) {
    const at = Date.parse(ts);
    const leg = `${provider}.${marketId}`;
    if (state === 'live') notLive.delete(leg);
    else notLive.add(leg);
    if (notLive.size > 0) since ??= at;
    else if (since !== null) {
      spans.push({ from: since, to: at });
      since = null;
    }
  }
  if (since !== null && since < to) spans.push({ from: since, to });
  return spans;
}

/** The mid of each leg over time, in terms of YES. A mid stays until the leg states another one, or none. */
export function midsChart({ legs, states }: Pick<EventHistory, 'legs' | 'states'>, to: number): TimeChart {
  const names = legNames(legs);
  const times = [...new Set(legs.flatMap(({ points }) => points.map(({ ts }) => Date.parse(ts))))].sort(
    (a, b) => a - b,
  );
  const series = legs.map(({ points }, index) => {
    const mids = new Map(points.map(({ ts, yesMid }) => [Date.parse(ts), yesMid]));
    let last: number | null = null;
    const values = times.map((time) => {
      const mid = mids.get(time);
      if (mid !== undefined) last = mid;
      return last;
    });
    return { label: names[index]!, field: 'yesMid', values };
  });
  return { times, series, shades: notLiveSpans(states, to) };
}

/** The largest distance of live prices over time. */
export function spreadChart({ spreads, states }: EventHistory, to: number): TimeChart {
  return {
    times: spreads.map(({ ts }) => Date.parse(ts)),
    series: [{ label: 'Spread', field: 'spread', values: spreads.map(({ spread }) => spread) }],
    shades: notLiveSpans(states, to),
  };
}

/** The net edges above zero over time, with the size of each in the table. */
export function edgeChart({ edges, states }: EventHistory, to: number): TimeChart {
  const times = [...new Set(edges.map(({ ts }) => ts))];
  const seriesOf = (field: 'netEdge' | 'size', labelOf: (name: string) => string): ChartSeries[] =>
    EDGE_KINDS.filter(([kind]) => edges.some((edge) => edge.kind === kind)).map(([kind, name]) => {
      const at = new Map(edges.filter((edge) => edge.kind === kind).map((edge) => [edge.ts, edge[field]]));
      return { label: labelOf(name), field, values: times.map((ts) => at.get(ts) ?? null) };
    });
  return {
    times: times.map((ts) => Date.parse(ts)),
    series: seriesOf('netEdge', (name) => name),
    columns: seriesOf('size', (name) => `Shares, ${name}`),
    shades: notLiveSpans(states, to),
  };
}

/** Anomalies, phases of the oracle and settlements, oldest first, one for each name and moment. */
export function marksOf({ recentAnomalies, disputeHistory, settlement }: Happenings): Mark[] {
  const marks = [
    ...recentAnomalies.map(({ ts, kind }) => ({ label: anomalyName(kind).toLowerCase(), at: Date.parse(ts) })),
    ...disputeHistory.map(({ ts, phase }) => ({ label: wordsOf(phase).toLowerCase(), at: Date.parse(ts) })),
    ...settlement.map(({ resolvedAt, provider }) => ({ label: `${provider} resolved`, at: Date.parse(resolvedAt) })),
  ];
  return [...new Map(marks.map((mark) => [`${mark.label} ${mark.at}`, mark])).values()].sort((a, b) => a.at - b.at);
}
