/** Rows of competition stats: sums over accounts, each counted once. */
import { type Decimal, ZERO } from '#schemas/domain/decimal';
import { sumKnown } from '#schemas/domain/sum-known';

/** The figures that can be sorted by, and the fees. */
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

/** Sums skip what is not known, and are null if nothing is. */
export function sumFigures(fills: readonly FillFigures[], values: readonly ValueFigures[]): StatsFigures {
  const counts = fills.flatMap(({ tradeCount }) => tradeCount ?? []);
  const sumOf = <T>(rows: readonly T[], figure: (row: T) => Decimal | null) =>
    rows.length === 0 ? null : sumKnown(rows.map(figure));
  return {
    accountValueUsd: sumOf(values, (row) => row.accountValueUsd),
    unrealizedPnlUsd: sumOf(values, (row) => row.unrealizedPnlUsd),
    volumeUsd: sumOf(fills, (row) => row.volumeUsd),
    realizedPnlUsd: sumOf(fills, (row) => row.realizedPnlUsd),
    tradingFeeUsd: sumOf(fills, (row) => row.tradingFeeUsd),
    builderFeeUsd: sumOf(fills, (row) => row.builderFeeUsd),
    tradeCount: counts.length === 0 ? null : counts.reduce((sum, count) => sum + count, 0),
  };
}

/** Sorts by a figure; those that are unknown come last in either direction, equal ones by name. */
export function sortByFigure<R extends StatsFigures & { readonly name: string }>(
  rows: readonly R[],
  figure: Exclude<keyof StatsFigures, 'tradeCount'>,
  isDescending: boolean,
): R[] {
  const sign = isDescending ? -1 : 1;
  return rows.toSorted((a, b) => {
    const [first, second] = [a[figure], b[figure]];
    if (first === null || second === null) {
      if (first !== second) return first === null ? 1 : -1;
    } else if (first !== second) return first < second ? -sign : sign;
    return a.name < b.name ? -1 : 1;
  });
}

/** Joins what one account's fills with several providers sum up to: a figure is null if one of them is. */
export function joinFills(fills: readonly FillFigures[]): FillFigures {
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
