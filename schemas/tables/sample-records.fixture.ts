/** A record of each table with every field set, made from its schema, for tests. */
import type { ColumnKind } from '../avro.ts';
import type { FlowCoverage } from '../topics/account-flows.ts';
import type { Market, Trade } from '../topics/normalised.ts';
import type { NodeUsageRecord } from '../topics/usage.ts';
import type { RecordMeta } from './declaration.ts';
import { TABLES } from './index.ts';
import type { TableSpec } from './table.ts';
import { usageKey } from './usage.ts';

const AT = 1_765_432_100_987;
/** Keys of tables with a tombstone, which finds the row by the key. */
const KEYS: Readonly<Record<string, (value: never) => string>> = {
  markets: ({ marketId }: Market) => marketId,
  flow_coverage: ({ account }: FlowCoverage) => account,
  usage: (value: NodeUsageRecord) => usageKey(value),
};

export interface SampleRecord {
  readonly value: unknown;
  readonly meta: RecordMeta;
}

/** A value that its column holds exactly, but less careful storage would not. */
function sampleValue(name: string, column: ColumnKind): unknown {
  switch (column.kind) {
    case 'text':
    case 'word':
      return `${name}:'größer'\\"\n`;
    case 'decimal':
      return '-12345678901234567890.123456789012345678';
    case 'product':
      return `-${'1234567890'.repeat(4)}.${'123456789'.repeat(4)}`;
    case 'time':
      return AT + name.length;
    case 'integer':
      return Number.MAX_SAFE_INTEGER - name.length;
    case 'float':
      return 0.1;
    case 'flag':
      return true;
    case 'nullable':
      return sampleValue(name, column.of);
    case 'list':
      return [1, 2].map((nth) => sampleValue(`${name}${nth}`, column.of));
    case 'record':
      return Object.fromEntries(
        Object.entries(column.fields).map(([field, type]) => [field, sampleValue(field, type.column)]),
      );
    case 'bytes':
      throw new Error('no table holds bytes');
  }
}

function sampleOf({ name, fromTopics, version }: TableSpec): SampleRecord {
  const topic = fromTopics.at(-1)!;
  const value = sampleValue(name, topic.schema.column);
  const key = KEYS[name]?.(value as never) ?? 'key';
  const seq = version === 'offset' ? 0 : 42;
  return { value, meta: { topic: topic.name, partition: 0, offset: 41, seq, key, receivedAt: AT } };
}

/** By table. */
export const sampleRecords: Readonly<Record<string, SampleRecord>> = Object.fromEntries(
  TABLES.map((table) => [table.name, sampleOf(table)]),
);
export const sampleTrade = sampleRecords.trades!.value as Trade;
