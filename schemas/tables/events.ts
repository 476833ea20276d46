import { eventTopic, type UniversalEvent } from '../topics/derived.ts';
import { defineTable } from './table.ts';

/** One row per universal event, its links as parallel arrays. */
export const eventsTable = defineTable<UniversalEvent>({
  name: 'events',
  description: 'Universal events with their links, newest state of each.',
  holds: 'market',
  orderBy: ['universalId'],
  shardBy: ['universalId'],
  fromTopics: [eventTopic],
  // Only events that ended for good are read from the table, and their markets have a state that follows from that.
  omit: ['links.marketState'],
  lowCardinality: ['kind', 'underlying', 'op', 'links.provider', 'links.source'],
  // The list is paged by time, but rows are sorted by id: without the projection each page reads the whole table.
  indexes: ['PROJECTION byFirstSeen (SELECT * ORDER BY firstSeenAt, universalId)'],
  settings: "deduplicate_merge_projection_mode = 'rebuild'",
  // Processors and views drop an archived event; only the table still has it.
  tombstone: 'ignored',
});
