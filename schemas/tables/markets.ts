import { VENUES } from '../domain/providers.ts';
import { type Market, marketTopics } from '../topics/normalised.ts';
import { countColumn, nullableDecimalColumn, nullableTimeColumn, timeColumn } from './columns.ts';
import { defineTable } from './table.ts';

const venueByTopic = new Map(VENUES.map((venue) => [marketTopics[venue].name, venue]));

/** One row per market. The venue comes from the topic, because a tombstone has only its key and must replace its row. */
export const marketsTable = defineTable<Market>({
  name: 'markets',
  description: 'The catalogs of all venues, newest state of each market.',
  orderBy: ['venue', 'marketId'],
  fromTopics: Object.values(marketTopics),
  row: (market, meta) => ({
    venue: venueByTopic.get(meta.topic)!,
    marketId: market.marketId,
    provider: market.provider,
    receivedAt: timeColumn(market.receivedAt),
    title: market.title,
    description: market.description,
    groupTitle: market.groupTitle,
    groupItemTitle: market.groupItemTitle,
    slug: market.slug,
    resolutionSource: market.resolutionSource,
    startTime: nullableTimeColumn(market.startTime),
    endTime: nullableTimeColumn(market.endTime),
    instruments: market.instruments,
    outcomes: market.outcomes,
    active: market.active,
    closed: market.closed,
    takerFeeRate: nullableDecimalColumn(market.takerFeeRate),
    fields: market.fields,
    resolved: market.resolved,
    name: market.name,
    removed: 0,
    version: countColumn(meta.seq),
  }),
  tombstone: (meta) => ({
    venue: venueByTopic.get(meta.topic)!,
    marketId: meta.key,
    provider: '',
    receivedAt: timeColumn(meta.receivedAt),
    title: '',
    description: '',
    groupTitle: null,
    groupItemTitle: null,
    slug: null,
    resolutionSource: null,
    startTime: null,
    endTime: null,
    instruments: [],
    outcomes: [],
    active: false,
    closed: false,
    takerFeeRate: null,
    fields: '',
    resolved: false,
    name: null,
    removed: 1,
    version: countColumn(meta.seq),
  }),
});
