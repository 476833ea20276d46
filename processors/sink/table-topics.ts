import { TABLES } from '#schemas/tables/index';
import type { TableSpec } from '#schemas/tables/table';
import type { Topic } from '#schemas/topics/topic';

/** A topic and the table that it fills. */
export interface TableTopic {
  readonly topic: Topic;
  readonly table: TableSpec;
}

/** Every topic that fills a table, by its name. */
export const TABLE_TOPICS: ReadonlyMap<string, TableTopic> = new Map(
  TABLES.flatMap((table) => table.fromTopics.map((topic) => [topic.name, { topic, table }] as const)),
);
