/** Shapes of the routes about what an account is worth (`docs/reference.md`). Null is unknown. */

/** `GET /v1/me/wallets/{id}/nav`. */
export interface Nav {
  readonly navUsdc: number | null;
  readonly cashUsdc: number | null;
  readonly positionsValueUsdc: number | null;
  readonly asOf: string | null;
}

/** `POST /v1/accounts/batch`, of one address. */
export interface Batch {
  readonly results: readonly {
    readonly valueUsd: number | null;
    readonly buckets: readonly { readonly kind: string; readonly usd: number }[];
    readonly unrealizedPnlUsd: number | null;
    readonly accountMode: string | null;
    readonly note?: string;
  }[];
}

export interface PnlPoint {
  /** Unix seconds. */
  readonly t: number;
  readonly pnl: number;
}

/** `GET /v1/me/wallets/{id}/pnl-curve`. */
export interface PnlCurve {
  readonly source: string;
  readonly points: readonly PnlPoint[];
  readonly asOf: string;
}

export interface NavPoint {
  /** Unix seconds. */
  readonly t: number;
  readonly navUsdc: number | null;
  readonly netDepositsUsdc: number | null;
}

/** A window of `GET /v1/portfolio/performance` with one series. */
export interface PerformanceWindow {
  readonly quality: 'authoritative' | 'degraded';
  readonly series: readonly {
    readonly points: readonly NavPoint[];
    readonly availability: {
      readonly dataStatus: 'fresh' | 'cached_fresh' | 'cached_stale' | 'unavailable';
      readonly reason: string | null;
      readonly observedAt: string | null;
    };
  }[];
}
export interface Performance {
  readonly windows: Readonly<Record<string, PerformanceWindow | undefined>>;
}

/** A perpetual of venue_a. */
export interface VenueAPosition {
  readonly provider: 'venue_a';
  readonly dex: string;
  readonly coin: string | null;
  readonly szi: number | null;
  readonly entryPx: number | null;
  readonly positionValue: number | null;
  readonly unrealizedPnl: number | null;
  readonly leverage: { readonly type: string | null; readonly value: number | null } | null;
  readonly liquidationPx: number | null;
  readonly marginUsed: number | null;
}
/** A token of venue_b. */
export interface VenueBPosition {
  readonly provider: 'venue_b';
  readonly conditionId: string | null;
  readonly outcome: string | null;
  readonly size: number | null;
  readonly avgPrice: number | null;
  readonly currentValue: number | null;
  readonly cashPnl: number | null;
  readonly title: string | null;
}

/** `GET /v1/positions`. */
export interface Positions {
  readonly positions: readonly (VenueAPosition | VenueBPosition)[];
  readonly warnings: readonly {
    readonly code: string;
    readonly provider: string;
    readonly dex: string | null;
    readonly message: string;
  }[];
  readonly asOf: string | null;
}
