/** Pages through the arbitrage of all events, largest net edge first. */
import { type Decimal, parseDecimal } from '#schemas/domain/decimal';
import { selectsProvider } from '#schemas/domain/providers';
import type { Arbitrage, UniversalEvent } from '#schemas/topics/derived';
import type { EventsView } from '../views/events.ts';
import { invalidCursor } from './time-cursor.ts';

export interface ArbitrageFilter {
  /** Null accepts every net edge. */
  readonly minNetEdge: Decimal | null;
  readonly kind: Arbitrage['kind'] | undefined;
  /** A provider of either leg, or the venue of one. */
  readonly provider: string | undefined;
}

/** A record with its event. */
export interface ListedArbitrage {
  readonly event: UniversalEvent;
  readonly record: Arbitrage;
}

export interface ArbitragePage {
  readonly items: readonly ListedArbitrage[];
  readonly nextCursor: string | null;
}

/** The sort key of a record: by net edge, the largest first, then by id and kind. */
interface SortKey {
  readonly netEdge: Decimal;
  /** `<universalId>:<kind>`. */
  readonly id: string;
}

/**
 * Returns the records that match, after the cursor. Net edges change from page to page: a record that moves across the
 * cursor meanwhile is listed twice or not at all. Throws 400 for an invalid cursor.
 */
export function listArbitrage(
  { arbitrage, byId }: Pick<EventsView, 'arbitrage' | 'byId'>,
  filter: ArbitrageFilter,
  limit: number,
  cursor: string | null,
): ArbitragePage {
  const after = cursor === null ? null : keyOfCursor(cursor);
  const found: (ListedArbitrage & { readonly key: SortKey })[] = [];
  for (const [universalId, kinds] of arbitrage) {
    const event = byId.get(universalId);
    if (!event) continue;
    for (const record of kinds.values()) {
      const key = { netEdge: parseDecimal(record.netEdge), id: `${universalId}:${record.kind}` };
      if (matches(record, key.netEdge, filter) && (after === null || compare(key, after) > 0))
        found.push({ event, record, key });
    }
  }
  found.sort((a, b) => compare(a.key, b.key));
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: found.length > limit && last ? cursorOf(last.record, last.key.id) : null };
}

function matches(record: Arbitrage, netEdge: Decimal, { minNetEdge, kind, provider }: ArbitrageFilter): boolean {
  if (minNetEdge !== null && netEdge < minNetEdge) return false;
  if (kind !== undefined && record.kind !== kind) return false;
  if (provider === undefined) return true;
  return selectsProvider(provider, record.firstProvider) || selectsProvider(provider, record.secondProvider);
}

function compare(a: SortKey, b: SortKey): number {
  if (a.netEdge !== b.netEdge) return a.netEdge > b.netEdge ? -1 : 1;
  if (a.id === b.id) return 0;
  return a.id < b.id ? -1 : 1;
}

function cursorOf({ netEdge }: Arbitrage, id: string): string {
  return Buffer.from(`${netEdge} ${id}`).toString('base64url');
}

function keyOfCursor(cursor: string): SortKey {
  const parts = /^(-?\d{1,20}(?:\.\d{1,18})?) (\S+)$/.exec(Buffer.from(cursor, 'base64url').toString('utf8'));
  if (!parts) throw invalidCursor();
  return { netEdge: parseDecimal(parts[1]!), id: parts[2]! };
}
