import { z } from 'zod';
import { TOKEN_PROVIDERS } from '../domain/providers.ts';
import type { StoredTrade } from '../tables/trades.ts';
import type { AccountFill } from '../topics/account-fills.ts';
import type { LedgerEventRow } from '../topics/ledgers.ts';
import { marketOf } from '../venues/venue-a/coin-market.ts';
import { decimalNumber, decimalNumberOrNull, isoTime } from './scalars.ts';
import { toTradeRecord, tradeRecordSchema } from './trade.ts';

/** A fill: a trade record, and the trade as the wallet sees it (contract, Money: fills, backfill). */
export const fillSchema = tradeRecordSchema
  .extend({
    walletId: z.string().describe('The bound wallet.'),
    role: z.enum(['maker', 'taker']).describe('Side of the wallet. A wallet that traded with itself has two fills.'),
    ownSide: z.enum(['buy', 'sell']).describe("The wallet's side."),
    ownTokenId: z.string().nullable().describe('The token that the wallet traded; null for coins.'),
    ownOutcome: z.string().nullable().describe('Name of its outcome; null like `outcome`.'),
    ownPrice: z.number().describe('USD per share or coin that the wallet traded.'),
    builder: z.string().nullable().describe("Builder of the wallet's order; null without one."),
    fee: z.number().nullable().describe('What the wallet paid; null if it is unknown.'),
    feeToken: z.string().nullable().describe('The token of `fee`; null where the venue has no fees.'),
    builderFee: z
      .number()
      .nullable()
      .describe('The part of the fee for the builder; null where the venue states none.'),
    closedPnl: z.number().nullable().describe("The venue's own figure; null where it has none."),
    dir: z.string().nullable().describe("The venue's own word for what the fill did; null where it has none."),
    liquidation: z
      .object({
        liquidatedUser: z.string().nullable().describe('Whose position it was; null if the venue does not name it.'),
        markPx: z.number().describe('Mark price at that moment.'),
        method: z.string().describe("The venue's own word for how it was liquidated."),
      })
      .nullable()
      .describe('Set if the fill was part of a liquidation; null where the venue has none.'),
  })
  .meta({ id: 'Fill' });
export type FillRecord = z.infer<typeof fillSchema>;

/** What a ledger states of a fill. */
export type OwnFill = Pick<LedgerEventRow, 'state' | 'instrument' | 'builder' | 'qty' | 'price' | 'fee' | 'role'>;

/** The fill of a wallet on chain: the venue states neither a closed PnL nor a direction, and charges USD. */
export function toFillRecord(
  walletId: string,
  own: OwnFill,
  ownOutcome: string | null,
  trade: StoredTrade,
): FillRecord {
  return {
    ...toTradeRecord(trade),
    // A fill that left its ledger is reverted, also while the row of its trade is older.
    status: own.state === 'removed' ? 'reverted' : trade.status,
    walletId,
    role: own.role!,
    ownSide: own.qty.startsWith('-') ? 'sell' : 'buy',
    ownTokenId: TOKEN_PROVIDERS.has(trade.provider) ? own.instrument : null,
    ownOutcome,
    ownPrice: decimalNumber(own.price!),
    builder: own.builder,
    fee: decimalNumberOrNull(own.fee),
    feeToken: 'USD',
    builderFee: null,
    closedPnl: null,
    dir: null,
    liquidation: null,
  };
}

/** What the table of fills states of a fill of venue_a, with the name of its outcome. */
export type CoinFillFields = Omit<AccountFill, 'ledger' | 'receivedAt' | 'startPosition' | 'oid' | 'isFeeTraded'> & {
  readonly outcome: string | null;
};

/** The fill of a wallet on venue_a, which does not name the counterparty. */
export function toCoinFillRecord(walletId: string, fill: CoinFillFields): FillRecord {
  const { role, side, coin, liquidationMark, liquidationMethod } = fill;
  const address = fill.account.slice(fill.account.indexOf(':') + 1);
  const opposite = side === 'buy' ? 'sell' : 'buy';
  const tokenId = TOKEN_PROVIDERS.has(fill.provider) ? coin : null;
  return {
    id: fill.id,
    provider: fill.provider,
    marketId: marketOf(coin),
    tokenId,
    outcome: fill.outcome,
    ts: isoTime(fill.time),
    side: role === 'taker' ? side : opposite,
    price: decimalNumber(fill.price),
    qty: decimalNumber(fill.qty),
    maker: role === 'maker' ? address : null,
    taker: role === 'taker' ? address : null,
    txHash: fill.hash,
    logIndex: null,
    tradeId: fill.tid === null ? null : String(fill.tid),
    status: 'confirmed',
    walletId,
    role,
    ownSide: side,
    ownTokenId: tokenId,
    ownOutcome: fill.outcome,
    ownPrice: decimalNumber(fill.price),
    builder: fill.builder,
    fee: decimalNumber(fill.fee),
    feeToken: fill.feeToken,
    builderFee: decimalNumberOrNull(fill.builderFee),
    closedPnl: decimalNumber(fill.closedPnl),
    dir: fill.dir,
    liquidation:
      liquidationMark === null || liquidationMethod === null
        ? null
        : {
            liquidatedUser: fill.liquidatedUser,
            markPx: decimalNumber(liquidationMark),
            method: liquidationMethod,
          },
  };
}
