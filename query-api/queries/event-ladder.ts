/** The ladder of an event from the newest books of its markets, and why there is none. Pure. */
import type { FeeModel } from '#schemas/domain/arbitrage/fee-model';
import { FEE_MODELS, feesOverTime } from '#schemas/domain/arbitrage/fee-models';
import { type LadderRow, ladderOf } from '#schemas/domain/arbitrage/ladder';
import { type ArbitrageKind, bookSideOf } from '#schemas/domain/arbitrage/pair';
import type { PairSide, SidePair } from '#schemas/domain/arbitrage/profit-sizes';
import type { Book } from '#schemas/domain/book';
import { type Decimal, parseDecimal } from '#schemas/domain/decimal';
import type { EventLink, UniversalEvent } from '#schemas/topics/derived';
import type { MarketStatus } from '#schemas/topics/normalised';
import { instrumentOf } from './current-arbitrage.ts';
import { type MissingEdgeReason, missingProviders, PAIR_REASONS, type PairReason } from './missing-edge.ts';

const FEES = feesOverTime(FEE_MODELS);

/** What the markets of an event show now. Books and statuses are by instrument. */
export interface QuestionMarkets {
  readonly books: ReadonlyMap<string, { readonly book: Book; readonly bookAt: number }>;
  readonly statuses: ReadonlyMap<string, Pick<MarketStatus, 'state'>>;
  /** True if the books lag too far behind to be relied on. */
  readonly isBehind: boolean;
  /** Unix ms; fees are those of this time. */
  readonly now: number;
}

export interface EventLadder {
  readonly rows: readonly LadderRow[];
  readonly breakEvenSize: Decimal | null;
  readonly bestSize: Decimal | null;
  /** Why the rows have no quote where they have none. */
  readonly reason: MissingEdgeReason;
  /** Receive time of the last frame of the older book; null if no pair can be quoted. */
  readonly bookAt: number | null;
}

/**
 * Calculates the ladder of a kind (`ladderOf`) over all pairs of markets that can be quoted.
 * @param quotedSize size of the event's record of this kind; null without one.
 */
export function eventLadder(
  { links }: Pick<UniversalEvent, 'links'>,
  kind: ArbitrageKind,
  sizes: readonly Decimal[],
  quotedSize: Decimal | null,
  markets: QuestionMarkets,
): EventLadder {
  const { pairs, reason } = pairsOf(links, kind, markets);
  const rising = [...sizes].sort((a, b) => (a < b ? -1 : 1));
  const ladder = ladderOf(pairs, sizes, quotedSize === null ? rising : [quotedSize, ...rising]);
  if (ladder === null)
    return {
      rows: sizes.map((size) => ({ size, quote: null })),
      breakEvenSize: null,
      bestSize: null,
      reason,
      bookAt: null,
    };
  const { rows, breakEvenSize, bestSize, pair } = ladder;
  return { rows, breakEvenSize, bestSize, reason: 'thin_book', bookAt: pair.bookAt };
}

interface BookedPair extends SidePair {
  /** Receive time of the last frame of the older book. */
  readonly bookAt: number;
}

/** The pairs that can be quoted, in the order of the links, and the reason of the one that is closest to it otherwise. */
function pairsOf(
  links: readonly EventLink[],
  kind: ArbitrageKind,
  markets: QuestionMarkets,
): { readonly pairs: readonly BookedPair[]; readonly reason: MissingEdgeReason } {
  const missing = missingProviders(links);
  if (missing !== null) return { pairs: [], reason: missing };
  const used = links.filter((link) => link.used);
  const pairs: BookedPair[] = [];
  const reasons = new Set<PairReason>();
  for (const buy of used) {
    const first = bookedSide(buy, kind, true, markets);
    for (const sell of used) {
      if (sell.provider === buy.provider) continue;
      const second = bookedSide(sell, kind, false, markets);
      if (typeof first !== 'string' && typeof second !== 'string')
        pairs.push({ kind, first, second, bookAt: Math.min(first.bookAt, second.bookAt) });
      else reasons.add(PAIR_REASONS.find((reason) => reason === first || reason === second)!);
    }
  }
  return { pairs, reason: PAIR_REASONS.findLast((reason) => reasons.has(reason)) ?? 'thin_book' };
}

interface BookedSide extends PairSide {
  readonly bookAt: number;
}

/** The side of a market's book that a half of a pair takes from, or why it cannot be quoted. */
function bookedSide(
  link: EventLink,
  kind: ArbitrageKind,
  isFirst: boolean,
  { books, statuses, isBehind, now }: QuestionMarkets,
): BookedSide | PairReason {
  const place = bookSideOf(kind, isFirst, link.polarity === 'inverse');
  const instrument = instrumentOf(link, place);
  const state = instrument === null ? undefined : statuses.get(instrument)?.state;
  // A market that is no longer traded has no prices, whatever its books.
  if (instrument === null || state === undefined || link.marketState !== 'open') return 'no_book';
  if (isBehind || state !== 'live') return 'stale_leg';
  const known = books.get(instrument);
  if (!known || (known.book.bids.length === 0 && known.book.asks.length === 0)) return 'no_book';
  const model = feeModelOf(link.provider, now);
  if (model === undefined || link.takerFeeRate === null) return 'unknown_fee';
  const { side, mirrored } = place;
  return { levels: known.book[side], model, rate: parseDecimal(link.takerFeeRate), mirrored, bookAt: known.bookAt };
}

function feeModelOf(provider: string, now: number): FeeModel | undefined {
  return FEES.findLast(({ since }) => since <= now)?.models.get(provider);
}
