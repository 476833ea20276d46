import { type Arbitrage, arbitrageTopic } from '../topics/derived.ts';
import { countColumn, decimalColumn, integerColumn, timeColumn } from './columns.ts';
import { defineTable } from './table.ts';

/** One row per published arbitrage record. */
export const arbitrageTable = defineTable<Arbitrage>({
  name: 'arbitrage',
  description: 'Published arbitrage records of every event.',
  orderBy: ['universalId', 'kind', 'receivedAt', 'version'],
  fromTopics: [arbitrageTopic],
  row: (record, meta) => ({
    universalId: record.universalId,
    kind: record.kind,
    receivedAt: timeColumn(record.receivedAt),
    size: decimalColumn(record.size),
    grossEdge: decimalColumn(record.grossEdge),
    netEdge: decimalColumn(record.netEdge),
    quoteAgeMs: integerColumn(record.quoteAgeMs),
    firstProvider: record.firstProvider,
    firstMarketId: record.firstMarketId,
    firstPrice: decimalColumn(record.firstPrice),
    firstFee: decimalColumn(record.firstFee),
    secondProvider: record.secondProvider,
    secondMarketId: record.secondMarketId,
    secondPrice: decimalColumn(record.secondPrice),
    secondFee: decimalColumn(record.secondFee),
    causeProvider: record.causeProvider,
    causeMarketId: record.causeMarketId,
    version: countColumn(meta.seq),
  }),
});
