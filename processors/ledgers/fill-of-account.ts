/** The event of a ledger that follows from a fill of venue_a. */
import { type Decimal, multiply, parseDecimal, ZERO } from '#schemas/domain/decimal';
import type { Fill, LedgerEvent, Settlement } from '#schemas/domain/ledger/events';
import type { VenueAFill } from '#schemas/topics/account-fills';
import { fillId, QUOTE_TOKENS } from '#schemas/venues/venue-a/fills';
import { isOutcomeCoin } from '#schemas/venues/venue-a/outcome-coin';

/** The venue's word for the fill with which it closes the balance of a settled outcome. */
const SETTLEMENT = 'Settlement';
/** Fills with these words are no trades: nobody sees them but the account. */
const WITHOUT_TRADE = /^(?:Settlement|Spot Dust Conversion|Net Child Vaults|Auto-Deleveraging)$/;

/** A settlement closes the lots that are left of its outcome: none if the outcome was settled before. */
export function eventOfFill(fill: VenueAFill, receivedAt: number): LedgerEvent {
  const { coin, time, price } = fill;
  const base = { id: fillId(fill), at: time, index: 0, ts: time, receivedAt };
  if (fill.dir === SETTLEMENT && isOutcomeCoin(coin))
    return {
      ...base,
      kind: 'settle',
      payouts: [{ instrument: coin, payout: parseDecimal(price) }],
    } satisfies Settlement;
  const qty = parseDecimal(fill.qty);
  const hasTrade = !WITHOUT_TRADE.test(fill.dir) && fill.liquidationMethod !== 'backstop';
  return {
    ...base,
    kind: 'fill',
    instrument: coin,
    builder: fill.builder,
    qty: (fill.side === 'buy' ? qty : -qty) as Decimal,
    feeQty: fill.isFeeTraded && fill.side === 'buy' ? parseDecimal(fill.fee) : ZERO,
    price: parseDecimal(price),
    fee: feeInUsd(fill),
    startPosition: parseDecimal(fill.startPosition),
    trade: hasTrade ? { role: fill.role, instrument: coin } : null,
    tie: fill.tid ?? fill.oid,
  } satisfies Fill;
}

/** A fee in the traded token counts at the price of the fill; null for one in any other token that is no quote token. */
function feeInUsd({ fee, feeToken, isFeeTraded, price }: VenueAFill): Decimal | null {
  const amount = parseDecimal(fee);
  // Without a fee, its token does not matter.
  if (amount === ZERO) return ZERO;
  if (isFeeTraded) return multiply(amount, parseDecimal(price));
  return QUOTE_TOKENS.has(feeToken) ? amount : null;
}
