import { type Spread, spreadTopic } from '../topics/derived.ts';
import { countColumn, nullableDecimalColumn, nullableTimeColumn, timeColumn } from './columns.ts';
import { defineTable } from './table.ts';

/**
 * One row per published spread, its legs as parallel arrays. An event can have two spreads in one millisecond, so the
 * sorting key contains the version.
 */
export const spreadsTable = defineTable<Spread>({
  name: 'spreads',
  description: 'Published spreads of every event.',
  orderBy: ['universalId', 'receivedAt', 'version'],
  fromTopics: [spreadTopic],
  row: (spread, meta) => ({
    universalId: spread.universalId,
    receivedAt: timeColumn(spread.receivedAt),
    causeProvider: spread.causeProvider,
    causeMarketId: spread.causeMarketId,
    'legs.provider': spread.legs.map((leg) => leg.provider),
    'legs.marketId': spread.legs.map((leg) => leg.marketId),
    'legs.yesBid': spread.legs.map((leg) => nullableDecimalColumn(leg.yesBid)),
    'legs.yesAsk': spread.legs.map((leg) => nullableDecimalColumn(leg.yesAsk)),
    'legs.yesMid': spread.legs.map((leg) => nullableDecimalColumn(leg.yesMid)),
    'legs.live': spread.legs.map((leg) => leg.live),
    'legs.bookAt': spread.legs.map((leg) => nullableTimeColumn(leg.bookAt)),
    version: countColumn(meta.seq),
  }),
});
