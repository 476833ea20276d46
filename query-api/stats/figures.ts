/** Figures of competition stats, and their sums. */
import { type Decimal, ZERO } from '#schemas/domain/decimal';
import { sumKnown } from '#schemas/domain/sum-known';

/** The figures of a row. */
export interface StatsFigures {
  readonly accountValueUsd: Decimal | null;
  readonly volumeUsd: Decimal | null;
  readonly realizedPnlUsd: Decimal | null;
  readonly unrealizedPnlUsd: Decimal | null;
  readonly tradingFeeUsd: Decimal | null;
  readonly builderFeeUsd: Decimal | null;
  readonly tradeCount: number | null;
}

/** What the fills of one account with one provider sum up to; every figure is null while they are not known. */
export type FillFigures = Pick<
  StatsFigures,
  'volumeUsd' | 'realizedPnlUsd' | 'tradingFeeUsd' | 'builderFeeUsd' | 'tradeCount'
>;
export type ValueFigures = Pick<StatsFigures, 'accountValueUsd' | 'unrealizedPnlUsd'>;

export const UNKNOWN_FILLS: FillFigures = {
  volumeUsd: null,
  realizedPnlUsd: null,
  tradingFeeUsd: null,
  builderFeeUsd: null,
  tradeCount: null,
};
/** An account of venue_a without fills in the window. */
export const NO_FILLS: FillFigures = {
  volumeUsd: ZERO,
  realizedPnlUsd: ZERO,
  tradingFeeUsd: ZERO,
  builderFeeUsd: ZERO,
  tradeCount: 0,
};

/** Sums values. They skip what is not known, and are null if nothing is. */
export function sumValues(values: readonly ValueFigures[]): ValueFigures {
  const sumOf = (figure: (row: ValueFigures) => Decimal | null) =>
    values.length === 0 ? null : sumKnown(values.map(figure));
  return {
    accountValueUsd: sumOf((row) => row.accountValueUsd),
    unrealizedPnlUsd: sumOf((row) => row.unrealizedPnlUsd),
  };
}

/** Sorts by a figure; rows without it come last in either direction, equal ones by name. */
export function sortByFigure<R extends { readonly name: string }>(
  rows: readonly R[],
  figure: (row: R) => Decimal | null,
  isDescending: boolean,
): R[] {
  const sign = isDescending ? -1 : 1;
  return rows.toSorted((a, b) => {
    const [first, second] = [figure(a), figure(b)];
    if (first === null || second === null) {
      if (first !== second) return first === null ? 1 : -1;
    } else if (first !== second) return first < second ? -sign : sign;
    return a.name < b.name ? -1 : 1;
  });
}

/** Sums what the fills of several providers or accounts sum up to: a figure is null if one of them is, or without any. */
export function joinFills(fills: readonly FillFigures[]): FillFigures {
  if (fills.length === 0) return UNKNOWN_FILLS;
  const sumOf = (figure: (row: FillFigures) => Decimal | null) =>
    fills.some((row) => figure(row) === null) ? null : sumKnown(fills.map(figure));
  return {
    volumeUsd: sumOf((row) => row.volumeUsd),
    realizedPnlUsd: sumOf((row) => row.realizedPnlUsd),
    tradingFeeUsd: sumOf((row) => row.tradingFeeUsd),
    builderFeeUsd: sumOf((row) => row.builderFeeUsd),
    tradeCount: fills.some(({ tradeCount }) => tradeCount === null)
      ? null
      : fills.reduce((sum, { tradeCount }) => sum + (tradeCount as number), 0),
  };
}
