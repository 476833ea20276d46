import { type BuilderFill, builderFillTopic } from '../topics/builder-exports.ts';
import { defineTable } from './table.ts';

/** Rows of a file count while its file is that of its day in the table of days. */
export const builderFillsTable = defineTable<BuilderFill>({
  name: 'builder_fills',
  description: 'Rows of the daily files of registered builders of venue_a.',
  holds: 'market',
  orderBy: ['builder', 'day', 'fileAt', 'place'],
  shardBy: ['builder'],
  fromTopics: [builderFillTopic],
  lowCardinality: ['coin'],
});
