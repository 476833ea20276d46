import { VENUES } from '../domain/providers.ts';
import { type Market, marketTopics } from '../topics/normalised.ts';
import { defineTable } from './table.ts';

const venueByTopic = new Map(VENUES.map((venue) => [marketTopics[venue].name, venue]));

/** One row per market. The venue comes from the topic, because a tombstone has only its key and must replace its row. */
export const marketsTable = defineTable<Market>({
  name: 'markets',
  description: 'The catalogs of all venues, newest state of each market.',
  holds: 'market',
  orderBy: ['venue', 'marketId'],
  shardBy: ['venue', 'marketId'],
  fromTopics: Object.values(marketTopics),
  lowCardinality: ['provider'],
  added: {
    venue: {
      type: 'LowCardinality(String)',
      comment: 'The venue whose catalog lists it.',
      value: (_, meta) => venueByTopic.get(meta.topic)!,
    },
  },
  tombstone: ({ topic, key, receivedAt }) => ({ venue: venueByTopic.get(topic)!, marketId: key, receivedAt }),
});
