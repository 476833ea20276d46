/** What `npm run watch` shows, as REST and the stream send it. */

export interface WatchedLeg {
  readonly provider: string;
  readonly yesBid: number | null;
  readonly yesAsk: number | null;
  readonly yesMid: number | null;
  /** `live` if the prices can be relied on; null while nothing is known. */
  readonly state: string | null;
}
export interface WatchedEvent {
  readonly name: string;
  readonly legs: readonly WatchedLeg[];
  /** Net edge of the best current arbitrage, USD per share; null if there is none. */
  readonly netEdge: number | null;
  /** The time of the prices, ISO 8601. */
  readonly fetchedAt: string;
}
export interface WatchedCandle {
  readonly ts: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
}
/** Newest figures of a pair or a contract; null where unknown. */
export interface WatchedMarket {
  readonly name: string;
  readonly markPrice: number | null;
  readonly midPrice: number | null;
  readonly dayNotionalVolume: number | null;
}
export interface WatchedTrade {
  readonly provider: string;
  readonly marketId: string | null;
  readonly ts: string;
  readonly side: string;
  readonly price: number;
  readonly qty: number;
}
/** What a bound wallet is worth; `navUsdc` null while it is not known. */
export interface WatchedWallet {
  readonly provider: string;
  readonly address: string;
  /** Empty without one. */
  readonly label: string;
  readonly navUsdc: number | null;
  /** The time of the state that is valued, ISO 8601; null without a value. */
  readonly asOf: string | null;
}
