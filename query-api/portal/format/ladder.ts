/** The ladder of an event's arbitrage: what it earns at each size (`GET /v1/events/{id}/arbitrage/ladder`); pure. */
import { digitsOf } from './number.ts';
import type { ChartSeries, NumberChart } from './series.ts';

export interface QuotedSize {
  readonly size: number;
  readonly grossEdge: number;
  readonly netEdge: number;
  readonly buyPrice: number;
  readonly sellPrice: number;
  readonly buyFee: number;
  readonly sellFee: number;
  readonly profitUsd: number;
}

export interface MissingSize {
  readonly size: number;
  readonly reason: string;
}

export interface Ladder {
  readonly kind: 'cross_provider' | 'negation_pair';
  readonly rows: readonly (QuotedSize | MissingSize)[];
  readonly breakEvenSize: number | null;
  readonly bestSize: number | null;
  readonly quoteAgeMs: number | null;
  readonly fetchedAt: string;
}

export const isQuoted = (row: QuotedSize | MissingSize): row is QuotedSize => !('reason' in row);

const PRICE_DIGITS = 6;

/** The names of the columns beside the profit, by kind: the second half of a negation pair buys NO. */
function columnNames(kind: Ladder['kind']): readonly (readonly [field: Exclude<keyof QuotedSize, 'size'>, string])[] {
  const second = kind === 'cross_provider' ? 'sell YES' : 'buy NO';
  return [
    ['netEdge', 'Net edge'],
    ['grossEdge', 'Gross edge'],
    ['buyPrice', 'Buy YES at'],
    ['sellPrice', `${second.charAt(0).toUpperCase()}${second.slice(1)} at`],
    ['buyFee', 'Fee, buy YES'],
    ['sellFee', `Fee, ${second}`],
  ];
}

/** @param reasonText says in words why a size has no quote. */
export function ladderChart(ladder: Ladder, reasonText: (reason: string) => string): NumberChart {
  const bySize = new Map(ladder.rows.map((row) => [row.size, row]));
  const rows = [...bySize.values()].sort((a, b) => a.size - b.size);
  const seriesOf = (field: Exclude<keyof QuotedSize, 'size'>, label: string): ChartSeries => ({
    label,
    field,
    values: rows.map((row) => (isQuoted(row) ? row[field] : null)),
  });
  const { bestSize, breakEvenSize } = ladder;
  const marks = [
    { label: 'best', at: bestSize },
    { label: 'break-even', at: breakEvenSize },
  ].flatMap(({ label, at }) => (at === null ? [] : [{ label, at }]));
  return {
    axis: { label: 'Shares', digits: digitsOf(rows.map(({ size }) => size)), values: rows.map(({ size }) => size) },
    series: [seriesOf('profitUsd', 'Profit, USD')],
    columns: columnNames(ladder.kind).map(([field, label]) => ({ ...seriesOf(field, label), digits: PRICE_DIGITS })),
    marks: bestSize !== null && bestSize === breakEvenSize ? [{ label: 'best and break-even', at: bestSize }] : marks,
    missing: rows.map((row) => (isQuoted(row) ? null : reasonText(row.reason))),
  };
}

/** How far beyond the named sizes the chart reaches, as a factor: larger losses would flatten what is earned. */
const REACH = 1.6;

/** The size at which the drawing of a ladder ends; null if no size has a profit or a loss. */
export function shownUntil({ axis, series, marks = [] }: NumberChart): number | null {
  const quoted = axis.values.filter((_, index) => series[0]!.values[index] !== null);
  const largest = quoted.at(-1) ?? null;
  return marks.length === 0 ? largest : Math.max(...marks.map(({ at }) => at)) * REACH;
}
