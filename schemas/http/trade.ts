import { z } from 'zod';
import { TOKEN_PROVIDERS } from '../domain/providers.ts';
import type { StoredTrade } from '../tables/trades.ts';
import { providerField, statusField } from './fields.ts';
import { decimalNumber, isoTime, isoTimeSchema } from './scalars.ts';

/**
 * A trade as REST and WebSocket return it (specification, Trade record). The contract (REST, Trades) adds `id`, `tokenId`,
 * `outcome`, `tradeId` and `status`; side, price and quantity are those of the taker.
 */
export const tradeRecordSchema = z
  .object({
    id: z.string().describe('The same in every update of the trade.'),
    provider: providerField,
    marketId: z.string().nullable().describe('Null until the catalog knows the token.'),
    tokenId: z
      .string()
      .nullable()
      .describe(`The traded token (${[...TOKEN_PROVIDERS].join(', ')} only); null for coins.`),
    outcome: z
      .string()
      .nullable()
      .describe('Name of the traded outcome; null for coins without outcomes and until the catalog names it.'),
    ts: isoTimeSchema.describe("The venue's time."),
    side: z.enum(['buy', 'sell']).describe("The taker's side."),
    price: z.number().describe('USD per share or coin.'),
    qty: z.number().describe('Shares or coins.'),
    maker: z.string().nullable().describe('Address of the maker; null where the venue does not publish it.'),
    taker: z.string().nullable().describe('Address of the taker; null where the venue does not publish it.'),
    txHash: z.string().nullable().describe('Hash of the transaction; null where there is none.'),
    logIndex: z.number().int().nullable().describe('Null off chain.'),
    tradeId: z.string().nullable().describe("The venue's own id; null where it has none, as on chain."),
    status: statusField,
  })
  .meta({ id: 'Trade' });
export type TradeRecord = z.infer<typeof tradeRecordSchema>;

/** The trade record of a trade of the topic or of the table. */
export function toTradeRecord(trade: StoredTrade): TradeRecord {
  return {
    id: trade.id,
    provider: trade.provider,
    marketId: trade.marketId,
    tokenId: TOKEN_PROVIDERS.has(trade.provider) ? trade.instrument : null,
    outcome: trade.outcome,
    ts: isoTime(trade.ts),
    side: trade.side,
    price: decimalNumber(trade.price),
    qty: decimalNumber(trade.qty),
    maker: trade.maker,
    taker: trade.taker,
    txHash: trade.txHash,
    logIndex: trade.logIndex,
    tradeId: trade.tradeId,
    status: trade.status,
  };
}
