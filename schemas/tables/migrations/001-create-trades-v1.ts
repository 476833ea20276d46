import type { Migration } from './migration.ts';

/**
 * Newest-first queries of an instrument use the sorting key, queries of a market the set index: the rows of a market are
 * close together, since they share their instruments. Granules are small because queries read tens of rows with many wide
 * columns.
 */
export const createTradesV1: Migration = {
  number: 1,
  name: '001-create-trades-v1',
  sql: [
    `CREATE TABLE IF NOT EXISTS trades (
      id String COMMENT '<provider>:<tx hash>:<log index> on chain, <provider>:<coin>:<time>:<tid> elsewhere',
      provider LowCardinality(String),
      marketId Nullable(String) COMMENT 'Null until the catalog knows the token',
      instrument String COMMENT 'The coin or token that was traded',
      outcome LowCardinality(Nullable(String)) COMMENT 'Name of the traded outcome',
      ts DateTime64(3, 'UTC') COMMENT 'The time of the venue; block time on chain',
      receivedAt DateTime64(3, 'UTC'),
      arrival UInt64 COMMENT 'Counts the trades of a venue in order of arrival: the tie-break at equal ts',
      side LowCardinality(String) COMMENT 'buy or sell, as the taker sees the instrument',
      price Decimal(38, 18),
      qty Decimal(38, 18) COMMENT 'Quantity of the instrument',
      usd Nullable(Decimal(38, 18)) COMMENT 'Exact USD, where the venue states it',
      maker Nullable(String),
      taker Nullable(String),
      txHash Nullable(String),
      logIndex Nullable(UInt64) COMMENT 'Chain only',
      tradeId Nullable(String) COMMENT 'The id that the venue gave it',
      blockNumber Nullable(UInt64) COMMENT 'Chain only',
      blockHash Nullable(String) COMMENT 'Chain only',
      status LowCardinality(String) COMMENT 'pending, confirmed or reverted',
      version UInt64 COMMENT 'Number of the record in its partition; the greatest counts',
      INDEX byMarket marketId TYPE set(0) GRANULARITY 1
    ) ENGINE = ReplacingMergeTree(version)
    PARTITION BY toYYYYMM(ts)
    ORDER BY (provider, instrument, ts, arrival, id)
    SETTINGS index_granularity = 1024`,
  ],
};
