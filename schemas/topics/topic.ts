import type { AvroType } from '../avro.ts';

/**
 * How long a topic stores its records, by append time:
 * - `raw`: PARALLAX_RETENTION_DAYS, and all raw topics together PARALLAX_RETENTION_GIB, oldest first;
 * - `derived`: as long as raw;
 * - `hours`: at least this many hours;
 * - `compacted`: the newest record of each key, forever (a tombstone removes the key), and a superseded one for
 *   at least `supersededHours`;
 * - `forever`: every record, forever.
 */
export type Retention =
  | { readonly kind: 'raw' }
  | { readonly kind: 'derived' }
  | { readonly kind: 'hours'; readonly hours: number }
  | { readonly kind: 'compacted'; readonly supersededHours?: number }
  | { readonly kind: 'forever' };

/**
 * Retention of compacted topics that processors read. A processor that restarts reads again all records after its newest
 * snapshot, so superseded records (e.g. a status that was stale for a moment) must still be there.
 */
export const COMPACTED_FOR_PROCESSORS: Retention = { kind: 'compacted', supersededHours: 24 };

/** One entry of the catalog: everything that the log, the sink, the replay tool and the docs know about a topic. */
export interface Topic<T = unknown> {
  readonly name: string;
  /** One sentence for the docs. */
  readonly description: string;
  /** Meaning of the key; records with the same key stay in order. */
  readonly key: string;
  readonly partitions: number;
  readonly retention: Retention;
  readonly schema: AvroType<T>;
  /** Records that a stage counts in a metric when it writes them. */
  readonly counted?: RecordCount<T>;
}

export interface RecordCount<T> {
  readonly metric: 'tradeHoles' | 'ledgerEvents' | 'ledgerRebuilds';
  /**
   * The labels of a record; null for one that does not count. Declared as a method, so that each topic can narrow the type
   * of its own records.
   */
  labelsOf(value: T): Readonly<Record<string, string>> | null;
}

/** Returns the topic itself; infers `T` from the schema. */
export function defineTopic<T>(topic: Topic<T>): Topic<T> {
  return topic;
}

/** FNV-1a over the UTF-16 units of the key: the same partition on every node and on every log. */
export function partitionOf(key: string, partitions: number): number {
  if (partitions === 1) return 0;
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at += 1) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  return (hash >>> 0) % partitions;
}
