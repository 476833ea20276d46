/** The events of one account that change its lots. Redemptions change none, so they are no events here. */
import type { Decimal } from '../decimal.ts';

interface EventBase {
  /** Identifies the event in its account; of a fill, the id of its trade. */
  readonly id: string;
  /** The venue's order: block on chain, time in milliseconds elsewhere. */
  readonly at: number;
  /** Log index on chain, 0 elsewhere. */
  readonly index: number;
  /** The venue's time in milliseconds. It never decreases with `at`. */
  readonly ts: number;
  /** When the event reached the ledger; a correction does not change it. */
  readonly receivedAt: number;
}

/** Which side of a trade a fill is. */
export interface TradeSide {
  readonly role: 'maker' | 'taker';
  /** What the taker traded: the maker of a match on a complement traded another instrument. */
  readonly instrument: string;
}

/** A trade of the account. */
export interface Fill extends EventBase {
  readonly kind: 'fill';
  readonly instrument: string;
  /** Whoever brought the order; null without a builder. */
  readonly builder: string | null;
  /** What was traded: positive when the account bought. */
  readonly qty: Decimal;
  /** What a purchase paid as a fee in the token that it bought. */
  readonly feeQty: Decimal;
  readonly price: Decimal;
  /** The fee in USD; null if it is unknown. */
  readonly fee: Decimal | null;
  /** The position before the fill, where the venue states it. */
  readonly startPosition: Decimal | null;
  /** Null for a fill without a public trade. */
  readonly trade: TradeSide | null;
  /** Order among fills of equal place whose positions do not determine it (`tid` of venue_a). */
  readonly tie: number;
}

/** Collateral became `qty` of every outcome, or the reverse. */
export interface SplitOrMerge extends EventBase {
  readonly kind: 'split' | 'merge';
  readonly instruments: readonly string[];
  readonly qty: Decimal;
}

/** `qty` of each of several NO tokens became `qty` of each YES token of the other questions, and collateral. */
export interface Conversion extends EventBase {
  readonly kind: 'convert';
  /** The NO tokens, in the order of their questions. */
  readonly removed: readonly string[];
  readonly received: readonly string[];
  readonly qty: Decimal;
}

/** The outcome is known: each instrument is worth its payout. */
export interface Settlement extends EventBase {
  readonly kind: 'settle';
  readonly payouts: readonly { readonly instrument: string; readonly payout: Decimal }[];
}

export type LedgerEvent = Fill | SplitOrMerge | Conversion | Settlement;

/** Returns the instruments that an event concerns. */
export function instrumentsOf(event: LedgerEvent): readonly string[] {
  switch (event.kind) {
    case 'fill':
      return [event.instrument];
    case 'split':
    case 'merge':
      return event.instruments;
    case 'convert':
      return [...event.removed, ...event.received];
    case 'settle':
      return event.payouts.map(({ instrument }) => instrument);
  }
}

/** True if two events change lots in the same way at the same place: `receivedAt` does not count. */
export function isSameEvent(a: LedgerEvent, b: LedgerEvent): boolean {
  return contentOf(a) === contentOf(b);
}

function contentOf({ receivedAt, ...content }: LedgerEvent): string {
  const members = Object.entries(content).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(members, (_, value) => (typeof value === 'bigint' ? `${value}n` : value));
}
