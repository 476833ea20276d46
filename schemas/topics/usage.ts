import { type Infer, integer, oneOf, record, text, timestamp } from '../avro.ts';
import { SKUS } from '../domain/quota/sku.ts';
import { defineTopic } from './topic.ts';

const nodeUsage = record('NodeUsage', 'What one node has served of one SKU to one organization so far.', {
  node: text('Name of the process, of its own for each start.'),
  orgId: text('The organization.'),
  sku: oneOf(SKUS, 'What it counts against.'),
  minute: timestamp('Beginning of the UTC minute that it served last in.'),
  minuteUnits: integer('Units in that minute.'),
  day: timestamp('Beginning of the UTC day that it served last in.'),
  dayUnits: integer('Units in that day.'),
});
export type NodeUsageRecord = Infer<typeof nodeUsage>;

/** Every node's own totals: added up they are what an organization has used. */
export const usageTopic = defineTopic({
  name: 'control.usage',
  description: "Every node's totals by organization, SKU and day.",
  key: 'node, organization, SKU and day',
  partitions: 1,
  retention: { kind: 'compacted' },
  schema: nodeUsage,
  table: 'usage',
});
