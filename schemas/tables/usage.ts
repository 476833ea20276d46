import { type NodeUsageRecord, usageTopic } from '../topics/usage.ts';
import { countColumn, timeColumn } from './column-values.ts';
import type { RecordMeta, TableRow } from './declaration.ts';
import { defineTable } from './table.ts';

/** One row per organization, day, SKU and node that served it. */
export const usageTable = defineTable<NodeUsageRecord>({
  name: 'usage',
  description: 'Units of each SKU by organization, UTC day and node.',
  holds: 'organization',
  orderBy: ['orgId', 'day', 'sku', 'node'],
  shardBy: ['orgId'],
  fromTopics: [usageTopic],
  omit: ['minute', 'minuteUnits', 'dayUnits'],
  added: { units: { type: 'UInt64', comment: 'Units on that day.', value: ({ dayUnits }) => countColumn(dayUnits) } },
  // The topic has several writers, so its records are unnumbered; the newest total of a node is the last in the log.
  version: 'offset',
  tombstone: usageTombstone,
});

/** The key of a record, which identifies its row. None of its parts contains a space. */
export function usageKey({ node, orgId, sku, day }: Pick<NodeUsageRecord, 'node' | 'orgId' | 'sku' | 'day'>): string {
  return `${node} ${orgId} ${sku} ${day}`;
}

function usageTombstone({ key }: RecordMeta): TableRow {
  const [node, orgId, sku, day] = key.split(' ');
  return { orgId, day: timeColumn(Number(day)), sku, node };
}
