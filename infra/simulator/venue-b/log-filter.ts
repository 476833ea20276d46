import type { ChainLog } from './chain.ts';

/** Which logs a client asks for: addresses and topics, each position a value, a list of values, or anything. */
export interface LogFilter {
  readonly addresses: ReadonlySet<string> | null;
  readonly topics: readonly (ReadonlySet<string> | null)[];
}

type Json = Readonly<Record<string, unknown>>;

function valuesOf(value: unknown): ReadonlySet<string> | null {
  if (value === null || value === undefined) return null;
  const values = Array.isArray(value) ? value : [value];
  return values.length === 0 ? null : new Set(values.map((entry) => String(entry).toLowerCase()));
}

/** Reads the address and topics of a filter object. */
export function readLogFilter(filter: Json): LogFilter {
  const topics = Array.isArray(filter.topics) ? filter.topics : [];
  return { addresses: valuesOf(filter.address), topics: topics.map(valuesOf) };
}

/** Whether a log passes. */
export function passesFilter({ addresses, topics }: LogFilter, log: ChainLog): boolean {
  if (addresses && !addresses.has(log.address)) return false;
  return topics.every((wanted, position) => !wanted || wanted.has(log.topics[position] ?? ''));
}
