/** Shapes of the routes below /v1/events (`docs/reference.md`). */

export interface Link {
  readonly provider: string;
  readonly providerMarketId: string;
  readonly confidence: number;
  readonly source: string;
  readonly evidence: Readonly<Record<string, unknown>>;
  readonly polarity: 'same' | 'inverse';
  readonly used: boolean;
  readonly title: string;
  readonly closesAt: string | null;
}

export interface UniversalEvent {
  readonly universalId: string;
  readonly canonicalName: string;
  readonly kind: string | null;
  readonly resolutionDate: string | null;
  readonly status: string;
  readonly links: readonly Link[];
}

/** An arbitrage of either kind: a cross-provider one buys and sells, a negation pair buys YES and NO. */
export interface Edge {
  readonly kind: 'cross_provider' | 'negation_pair';
  readonly universalId: string;
  readonly canonicalName?: string;
  readonly size: number;
  readonly grossEdge: number;
  readonly netEdge: number;
  readonly quoteAgeMs: number;
  readonly at: string;
  readonly buyProvider?: string;
  readonly sellProvider?: string;
  readonly buyPrice?: number;
  readonly sellPrice?: number;
  readonly buyFee?: number;
  readonly sellFee?: number;
  readonly yesProvider?: string;
  readonly noProvider?: string;
  readonly yesPrice?: number;
  readonly noPrice?: number;
  readonly yesFee?: number;
  readonly noFee?: number;
}

export interface Leg {
  readonly provider: string;
  readonly marketId: string;
  readonly yesBid: number | null;
  readonly yesAsk: number | null;
  readonly yesMid: number | null;
  readonly state: string | null;
  readonly asOf: string | null;
}

export interface Spread {
  readonly universalId: string;
  readonly legs: readonly Leg[];
  /** The largest distance of live mids; null with fewer than two. */
  readonly spread: number | null;
  readonly fetchedAt: string;
}

export interface Trade {
  readonly id: string;
  readonly provider: string;
  readonly outcome: string | null;
  readonly ts: string;
  readonly side: 'buy' | 'sell';
  readonly price: number;
  readonly qty: number;
  readonly status: string;
}

/** Newest first, without reverted ones. */
export interface Trades {
  readonly trades: readonly Trade[];
  readonly fetchedAt: string;
}

/** One log of the oracle about a market. */
export interface DisputePhase {
  readonly id: string;
  readonly phase: 'propose' | 'dispute' | 'settle';
  readonly marketId: string | null;
  readonly proposer: string | null;
  readonly disputer: string | null;
  readonly price: string | null;
  readonly ts: string;
  readonly blockNumber: number;
  readonly txHash: string;
  readonly status: string;
}

/** How a market was resolved. */
export interface Settlement {
  readonly provider: string;
  readonly marketId: string;
  readonly outcome: string;
  readonly payouts: readonly string[];
  readonly resolvedAt: string;
  readonly resolvedAtIsBound: boolean;
  readonly settlementDelaySec: number | null;
  readonly blockNumber: number | null;
  readonly txHash: string | null;
  readonly status: string;
}

/** An edge of a quote that is older than this is shown as out of date. */
export const OLD_QUOTE_MS = 10_000;

/** The page of an event. */
export function eventPath(universalId: string): string {
  return `/portal/events/${encodeURIComponent(universalId)}`;
}

/** The path of a route of an event. */
export function apiPath(universalId: string, rest: string): string {
  return `/v1/events/${encodeURIComponent(universalId)}/${rest}`;
}
