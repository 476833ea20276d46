import { z } from 'zod';
import type { Arbitrage } from '../topics/derived.ts';
import { universalIdField } from './fields.ts';
import { decimalNumber, isoTime, isoTimeSchema } from './scalars.ts';

const common = {
  universalId: universalIdField,
  size: z.number().describe('Shares that the prices and fees are quoted for.'),
  grossEdge: z.number().describe('USD per share from the best prices.'),
  netEdge: z.number().describe('USD per share after walking both books and fees; above 0 is profitable.'),
  quoteAgeMs: z.number().int().describe("Age of the older leg's last book frame, ms."),
  at: isoTimeSchema.describe('When the record was calculated.'),
};

/**
 * Buys the YES of one market and sells that of another: gross = best bid of the sell leg − best ask of the buy leg,
 * net = sellPrice − buyPrice − fees (contract, Arbitrage record). Prices are averages of the walk.
 */
const crossProviderSchema = z.object({
  kind: z.literal('cross_provider').describe('YES is bought on one market and sold on another.'),
  ...common,
  buyProvider: z.string().describe('Provider where YES is bought.'),
  sellProvider: z.string().describe('Provider where YES is sold.'),
  buyMarketId: z.string().describe('The market there.'),
  sellMarketId: z.string().describe('The market there.'),
  buyPrice: z.number().describe('Average price of the walk through that book, USD per share.'),
  sellPrice: z.number().describe('Average price of the walk through that book, USD per share.'),
  buyFee: z.number().describe('Taker fee there, USD per share.'),
  sellFee: z.number().describe('Taker fee there, USD per share.'),
});

/** Buys YES on one provider and NO on another: gross = 1 − best YES ask − best NO ask, net after walk and fees. */
const negationPairSchema = z.object({
  kind: z.literal('negation_pair').describe('YES is bought on one market and NO on another.'),
  ...common,
  yesProvider: z.string().describe('Provider where YES is bought.'),
  noProvider: z.string().describe('Provider where NO is bought.'),
  yesMarketId: z.string().describe('The market there.'),
  noMarketId: z.string().describe('The market there.'),
  yesPrice: z.number().describe('Average price of the walk through that book, USD per share.'),
  noPrice: z.number().describe('Average price of the walk through that book, USD per share.'),
  yesFee: z.number().describe('Taker fee there, USD per share.'),
  noFee: z.number().describe('Taker fee there, USD per share.'),
});

/** An arbitrage record, whose `kind` selects its shape (specification, Arbitrage record). */
export const arbitrageRecordSchema = z
  .discriminatedUnion('kind', [crossProviderSchema, negationPairSchema])
  .meta({ id: 'Arbitrage' });
export type ArbitrageRecord = z.infer<typeof arbitrageRecordSchema>;

/** The wire record of an arbitrage of the topics. */
export function toArbitrageRecord(record: Arbitrage): ArbitrageRecord {
  const shared = {
    universalId: record.universalId,
    size: decimalNumber(record.size),
    grossEdge: decimalNumber(record.grossEdge),
    netEdge: decimalNumber(record.netEdge),
    quoteAgeMs: record.quoteAgeMs,
    at: isoTime(record.receivedAt),
  };
  if (record.kind === 'cross_provider') {
    return {
      kind: record.kind,
      ...shared,
      buyProvider: record.firstProvider,
      sellProvider: record.secondProvider,
      buyMarketId: record.firstMarketId,
      sellMarketId: record.secondMarketId,
      buyPrice: decimalNumber(record.firstPrice),
      sellPrice: decimalNumber(record.secondPrice),
      buyFee: decimalNumber(record.firstFee),
      sellFee: decimalNumber(record.secondFee),
    };
  }
  return {
    kind: record.kind,
    ...shared,
    yesProvider: record.firstProvider,
    noProvider: record.secondProvider,
    yesMarketId: record.firstMarketId,
    noMarketId: record.secondMarketId,
    yesPrice: decimalNumber(record.firstPrice),
    noPrice: decimalNumber(record.secondPrice),
    yesFee: decimalNumber(record.firstFee),
    noFee: decimalNumber(record.secondFee),
  };
}
