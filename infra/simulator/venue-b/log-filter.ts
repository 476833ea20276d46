import type { ChainLog } from './chain.ts';
import { CTF_EXCHANGE, TOPIC } from './contracts.ts';

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

/**
 * The accounts of which one must have an order in every match whose logs pass; null where the filter does not ask for
 * accounts, or where other logs than those of matches may pass.
 */
export function accountsOf({ topics }: LogFilter): ReadonlySet<string> | null {
  const [events, , makers, takers] = topics;
  if (!events || [...events].some((event) => event !== TOPIC.orderFilled && event !== TOPIC.ordersMatched)) return null;
  const named = makers ?? takers;
  if (!named) return null;
  const accounts = new Set([...named].map((topic) => `0x${topic.slice(-40)}`));
  // In a taker order's own log the counterparty is the exchange, whoever the taker is.
  return accounts.has(CTF_EXCHANGE) ? null : accounts;
}
