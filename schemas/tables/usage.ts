import { type NodeUsageRecord, usageTopic } from '../topics/usage.ts';
import { countColumn, timeColumn } from './columns.ts';
import { defineTable, type RecordMeta, type TableRow } from './table.ts';

/** One row per organization, day, SKU and node that served it. */
export const usageTable = defineTable<NodeUsageRecord>({
  name: 'usage',
  description: 'Units of each SKU by organization, UTC day and node.',
  orderBy: ['orgId', 'day', 'sku', 'node'],
  fromTopics: [usageTopic],
  row: ({ orgId, day, sku, node, dayUnits }, { offset }) => ({
    orgId,
    day: timeColumn(day),
    sku,
    node,
    units: countColumn(dayUnits),
    removed: 0,
    // The topic has several writers, so its records are unnumbered; the newest total of a node is the last in the log.
    version: countColumn(offset),
  }),
  tombstone: usageTombstone,
});

/** The key of a record, which identifies its row. None of its parts contains a space. */
export function usageKey({ node, orgId, sku, day }: Pick<NodeUsageRecord, 'node' | 'orgId' | 'sku' | 'day'>): string {
  return `${node} ${orgId} ${sku} ${day}`;
}

function usageTombstone({ key, offset }: RecordMeta): TableRow {
  const [node, orgId, sku, day] = key.split(' ');
  return { orgId, day: timeColumn(Number(day)), sku, node, units: 0, removed: 1, version: countColumn(offset) };
}
