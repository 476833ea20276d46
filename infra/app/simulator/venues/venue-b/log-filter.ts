import { CHAIN_EVENTS, COLLATERAL_ADAPTERS, EXCHANGES } from '#schemas/venues/venue-b/contracts';
import { accountTopic } from '#schemas/venues/venue-b/oracle-logs';
import type { ChainLog } from './chain.ts';
import { CTF_EXCHANGE, TOPIC } from './contracts.ts';

/** Filter of logs by address and by topic positions; null matches any value. */
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

/** Parses the address and topics of a filter object. */
export function readLogFilter(filter: Json): LogFilter {
  const topics = Array.isArray(filter.topics) ? filter.topics : [];
  return { addresses: valuesOf(filter.address), topics: topics.map(valuesOf) };
}

/** True if a log passes the filter. */
export function passesFilter({ addresses, topics }: LogFilter, log: ChainLog): boolean {
  if (addresses && !addresses.has(log.address)) return false;
  return topics.every((wanted, position) => !wanted || wanted.has(log.topics[position] ?? ''));
}

const EXCHANGE_TOPICS: ReadonlySet<string> = new Set(Object.values(EXCHANGES).map(accountTopic));
const ADAPTER_TOPICS: ReadonlySet<string> = new Set(COLLATERAL_ADAPTERS.map(accountTopic));
const ADDRESS_PADDING = `0x${'0'.repeat(24)}`;
/** Events in the transactions that list, resolve or redeem markets. */
const MARKET_EVENTS: ReadonlySet<string> = new Set<string>([
  ...Object.values(TOPIC).filter((event) => event !== TOPIC.orderFilled && event !== TOPIC.ordersMatched),
  CHAIN_EVENTS.requestPrice,
  CHAIN_EVENTS.proposePrice,
  CHAIN_EVENTS.disputePrice,
  CHAIN_EVENTS.settle,
]);

/** The accounts of which one is the taker of every match whose logs pass; null if logs of others may pass. */
export function takersOf({ topics }: LogFilter): ReadonlySet<string> | null {
  const [, , makers, takers] = topics;
  // Only the log of a taker's own order names an exchange there.
  if (!makers || !takers || ![...takers].every((topic) => EXCHANGE_TOPICS.has(topic))) return null;
  return accountsOf({ addresses: null, topics: [topics[0] ?? null, null, makers] });
}

/** True if only logs of splits and merges through an adapter can pass: no other log names one there. */
export function namesAdapters({ topics: [, first] }: LogFilter): boolean {
  return first != null && [...first].every((topic) => ADAPTER_TOPICS.has(topic));
}

/** True if only logs of transactions that list, resolve or redeem markets can pass. */
export function namesMarketEvents({ topics: [events] }: LogFilter): boolean {
  return events != null && [...events].every((event) => MARKET_EVENTS.has(event));
}

/** Contracts that a log can name in place of an account: an exchange as counterparty, an adapter that acts for an account. */
const CONTRACTS: readonly string[] = [CTF_EXCHANGE, ...COLLATERAL_ADAPTERS];

/**
 * The accounts of which at least one has an order in every match whose logs pass. Null if the filter does not name
 * accounts, or if logs other than those of matches may pass.
 */
export function accountsOf({ topics }: LogFilter): ReadonlySet<string> | null {
  const [events, first, makers, takers] = topics;
  if (!events || [...events].some((event) => MARKET_EVENTS.has(event))) return null;
  const named = first ?? makers ?? takers;
  // A first topic that is no address is the hash of an order.
  if (!named || ![...named].every((topic) => topic.startsWith(ADDRESS_PADDING))) return null;
  const accounts = new Set([...named].map((topic) => `0x${topic.slice(-40)}`));
  return CONTRACTS.some((contract) => accounts.has(contract)) ? null : accounts;
}
