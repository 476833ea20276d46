import { type BuilderDay, builderDayTopic } from '../topics/builder-exports.ts';
import { builderFillsTable } from './builder-fills.ts';
import { defineTable } from './table.ts';

export const builderDaysTable = defineTable<BuilderDay>({
  name: 'builder_days',
  description: 'Which daily files of registered builders of venue_a have arrived, and which file counts.',
  holds: 'market',
  orderBy: ['builder', 'day'],
  shardBy: ['builder'],
  fromTopics: [builderDayTopic],
  // A row promises that the rows of its file are there.
  after: [builderFillsTable.name],
  omit: ['etag', 'sha256'],
  // A day is only ever replaced.
  tombstone: 'ignored',
});
