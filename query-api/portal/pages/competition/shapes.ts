/** Shapes of `GET /v1/me/stats` and `GET /v1/me/platform-volume`. Null is unknown. */

/** Figures of a row, and of the total. */
export interface StatsFigures {
  readonly accountValueUsd: number | null;
  readonly volumeUsd: number | null;
  readonly realizedPnlUsd: number | null;
  readonly unrealizedPnlUsd: number | null;
  readonly tradingFeeUsd: number | null;
  readonly builderFeeUsd: number | null;
}

/** What a row has with `roi=true`. Rates are fractions. */
export interface ReturnFigures {
  readonly netPnlUsd: number | null;
  readonly netDepositsUsd: number | null;
  readonly simpleRoiPct: number | null;
  readonly mwrPct: number | null;
  readonly twrPct: number | null;
  readonly startNavUsd: number | null;
  readonly endNavUsd: number | null;
}

export interface StatsRow extends StatsFigures, Partial<ReturnFigures> {
  readonly provider: string;
  /** By wallet. */
  readonly walletId?: string;
  readonly address?: string;
  /** By provider. */
  readonly walletCount?: number;
  readonly tradeCount: number | null;
  readonly fillsThrough: string | null;
  readonly accountValueAsOf: string | null;
  /** With `include=pnlCurve`. Times are unix seconds. */
  readonly pnlCurve?: readonly { readonly t: number; readonly pnl: number }[] | null;
}

export interface Stats {
  readonly total: StatsFigures;
  readonly data: readonly StatsRow[];
  readonly window: { readonly from: string | null; readonly to: string };
}

export interface VolumeFigures {
  readonly volumeUsd: number | null;
  readonly tradeCount: number | null;
  readonly builderFeeUsd: number | null;
}

export interface PlatformVolume {
  readonly window: { readonly from: string | null; readonly to: string };
  readonly total: VolumeFigures;
  readonly byVenue: readonly (VolumeFigures & {
    readonly venue: string;
    readonly walletCount: number;
    readonly dataThrough: string | null;
  })[];
}
