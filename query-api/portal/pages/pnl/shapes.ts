/** Shapes of the routes about the money of bound wallets (`docs/reference.md`). */
import type { Paginated } from '../../live/paged.ts';

export interface Wallet {
  readonly id: string;
  readonly provider: string;
  readonly address: string;
  readonly label: string;
  readonly createdAt: string;
}

export type Coverage = 'complete' | 'partial';

/** What every row has (`GET /v1/me/pnl`); null is unknown. */
interface Figures {
  readonly realized: number | null;
  readonly unrealized: number | null;
  readonly openPosition: number | null;
  readonly tradeCount: number | null;
  readonly fees: number | null;
  readonly coverage: Coverage;
}

/** A token of an event row. */
export interface Leg {
  readonly provider: string;
  readonly marketId: string | null;
  readonly tokenId: string | null;
  readonly outcome: string | null;
  readonly realized: number | null;
  readonly unrealized: number | null;
  readonly openPosition: number;
  readonly avgCost: number | null;
  readonly currentPrice: number | null;
  readonly tradeCount: number | null;
}

/** A row of any grouping: each grouping has some of the optional fields. */
export interface Row extends Figures {
  readonly universalId?: string | null;
  readonly canonicalName?: string | null;
  readonly avgCost?: number | null;
  readonly currentPrice?: number | null;
  readonly legs?: readonly Leg[];
  readonly walletId?: string;
  readonly address?: string;
  readonly label?: string | null;
  readonly provider?: string;
  readonly builder?: string;
  readonly walletCount?: number;
  readonly totalNotional?: number | null;
  readonly unpriced?: number;
}

export interface Pnl extends Paginated {
  readonly total: {
    readonly realized: number | null;
    readonly unrealized: number | null;
    readonly totalNotional: number | null;
    readonly unpriced: number;
    readonly fees: number | null;
    readonly coverage: Coverage;
  };
  readonly data: readonly Row[];
}

/** `GET /v1/me/pnl/curve`. */
export interface Curve {
  readonly curve: readonly { readonly ts: string; readonly cumulativeRealized: number }[];
  readonly window: { readonly from: string; readonly to: string };
}

/** `GET /v1/me/pnl/explain`. */
export interface Explained extends Paginated {
  readonly book: {
    readonly walletId: string;
    readonly provider: string;
    readonly marketId: string | null;
    readonly tokenId: string | null;
    readonly outcome: string | null;
    readonly builder: string | null;
    readonly openPosition: number;
    readonly avgCost: number | null;
    readonly realized: number | null;
    readonly coverage: Coverage;
  };
  readonly lots: readonly {
    readonly openedBy: string;
    readonly openedAt: string;
    readonly qty: number;
    readonly price: number | null;
  }[];
  readonly events: readonly BookEvent[];
}

export interface BookEvent {
  readonly id: string;
  readonly kind: string;
  readonly ts: string;
  readonly receivedAt: string;
  readonly qty: number;
  readonly price: number | null;
  readonly realized: number | null;
  readonly fee: number | null;
  readonly closes: readonly { readonly openedBy: string; readonly qty: number }[];
}

/** `GET /v1/me/fills`. */
export interface Fill {
  readonly id: string;
  readonly provider: string;
  readonly marketId: string | null;
  readonly ts: string;
  readonly walletId: string;
  readonly role: 'maker' | 'taker';
  readonly ownSide: 'buy' | 'sell';
  readonly ownOutcome: string | null;
  readonly ownPrice: number;
  readonly qty: number;
  readonly fee: number | null;
  /** The token of `fee`; null where the venue has no fees. */
  readonly feeToken: string | null;
  readonly txHash: string | null;
  readonly status: string;
}
export interface Fills extends Paginated {
  readonly fills: readonly Fill[];
}
