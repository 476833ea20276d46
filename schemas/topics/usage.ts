import { type Infer, integer, oneOf, record, text, timestamp } from '../avro.ts';
import { SKUS } from '../domain/quota/sku.ts';
import { defineTopic } from './topic.ts';

const nodeUsage = record('NodeUsage', 'Units of one SKU that one node has served to one organization so far.', {
  node: text('Name of the process, unique to each start.'),
  orgId: text('The organization.'),
  sku: oneOf(SKUS, 'The SKU that the units count against.'),
  minute: timestamp('Start of the UTC minute in which the node last served a unit.'),
  minuteUnits: integer('Units in that minute.'),
  day: timestamp('Start of the UTC day in which the node last served a unit.'),
  dayUnits: integer('Units in that day.'),
});
export type NodeUsageRecord = Infer<typeof nodeUsage>;

/** Every node's own totals; their sum is the usage of an organization. */
export const usageTopic = defineTopic({
  name: 'control.usage',
  description: "Every node's totals by organization, SKU and day.",
  key: 'node, organization, SKU and day',
  partitions: 1,
  retention: { kind: 'compacted' },
  schema: nodeUsage,
});

const keyUse = record('KeyUse', 'The last use of a key on one node.', {
  keyId: text('The key.'),
  usedAt: timestamp('Start of the UTC minute.'),
});

/** When each key was last used. */
export const keyUseTopic = defineTopic({
  name: 'control.key-uses',
  description: 'When each key was last used, to the minute.',
  key: 'key id',
  partitions: 1,
  retention: { kind: 'compacted' },
  schema: keyUse,
});
