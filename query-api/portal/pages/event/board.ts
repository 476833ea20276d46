/** The board of events (`GET /v1/events/board`). */
import { csvText } from '../../format/csv.ts';
import { legNames } from '../../format/leg-names.ts';
import type { TimeChart } from '../../format/series.ts';

export interface BoardLeg {
  readonly provider: string;
  readonly marketId: string;
  readonly yesBid: number | null;
  readonly yesAsk: number | null;
  readonly yesMid: number | null;
  readonly state: string | null;
  readonly since: string | null;
}

export interface BoardEdge {
  readonly kind: string;
  readonly netEdge: number;
  readonly grossEdge: number;
  readonly size: number;
  readonly quoteAgeMs: number;
}

export interface BoardRow {
  readonly universalId: string;
  readonly canonicalName: string;
  readonly kind: string | null;
  readonly status: string;
  readonly resolutionDate: string | null;
  readonly legs: readonly BoardLeg[];
  readonly spread: number | null;
  readonly edge: BoardEdge | null;
  /** The best edge of each kind, best first. */
  readonly edges: readonly BoardEdge[];
  readonly noEdge: string | null;
  readonly volume24h: number;
  readonly trades24h: number;
  readonly lastTradeAt: string | null;
  readonly anomalies24h: number;
  readonly disputed: boolean;
  readonly sparkline?: DayPrices;
}

/** Prices of the last 24 hours, with `include=sparkline`. */
export interface DayPrices {
  readonly from: string;
  readonly stepMs: number;
  readonly legs: readonly {
    readonly provider: string;
    readonly marketId: string;
    readonly mids: readonly (number | null)[];
  }[];
}

/** The prices of a day as a chart. */
export function dayChart({ from, stepMs, legs }: DayPrices): TimeChart {
  const times = (legs[0]?.mids ?? []).map((_, step) => Date.parse(from) + step * stepMs);
  const names = legNames(legs);
  return { times, stepMs, series: legs.map(({ mids }, index) => ({ label: names[index]!, values: mids })) };
}

const REASONS: Readonly<Record<string, string>> = {
  stale_leg: 'prices of a leg are not live',
  no_book: 'a leg has no book',
  thin_book: 'a book holds less than the size',
  unknown_fee: 'the fee of a market is unknown',
  one_provider: 'one venue alone asks this question',
  link_not_used: 'no link to another venue is strong enough',
};

/** Why an event has no arbitrage. */
export function noEdgeReason(reason: string | null): string {
  return reason === null ? 'not known' : (REASONS[reason] ?? reason);
}

const CSV_FIELDS = ['universalId', 'canonicalName', 'kind', 'status', 'resolutionDate', 'spread'] as const;

/** The rows as CSV, with the best edge of each; an unknown value is empty. */
export function boardCsv(rows: readonly BoardRow[]): string {
  const header = [
    ...CSV_FIELDS,
    'edgeKind',
    'netEdge',
    'size',
    'quoteAgeMs',
    'noEdge',
    'volume24h',
    'trades24h',
    'legs',
  ];
  const lines = rows.map((row) => [
    ...CSV_FIELDS.map((field) => row[field]),
    row.edge?.kind ?? null,
    row.edge?.netEdge ?? null,
    row.edge?.size ?? null,
    row.edge?.quoteAgeMs ?? null,
    row.noEdge,
    row.volume24h,
    row.trades24h,
    row.legs.map(({ provider, yesBid, yesAsk }) => `${provider} ${yesBid ?? ''}/${yesAsk ?? ''}`).join('; '),
  ]);
  return csvText(header, lines);
}
