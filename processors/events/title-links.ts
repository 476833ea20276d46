/** Links titles by the events that the stage creates from them. */
import { marketKey } from '#schemas/domain/providers';
import { toEventRecord } from './event-record.ts';
import { evaluateLink } from './link-evaluation.ts';
import type { MarketEntry } from './market-entry.ts';
import type { EventsState } from './state.ts';

/** Two titles with the same question. `used` is true if one event links them strongly enough for spreads. */
export interface TitleLink {
  readonly a: string;
  readonly b: string;
  readonly confidence: number;
  readonly polarity: 'same' | 'inverse';
  readonly used: boolean;
}

/** A title and the market that represents it in a state. */
export interface PlacedTitle {
  readonly id: string;
  readonly market: MarketEntry;
}

/** Returns the links of titles whose markets are in `state`, in input order. */
export function linksBetween(placed: readonly PlacedTitle[], state: EventsState): TitleLink[] {
  const used = usedMarkets(state);
  const links: TitleLink[] = [];
  const byKey = new Map<string, PlacedTitle[]>();
  for (const title of placed) {
    const linked = new Set<PlacedTitle>();
    for (const key of title.market.keys) {
      const others = byKey.get(key) ?? [];
      for (const other of others) {
        if (linked.has(other)) continue;
        linked.add(other);
        links.push(linkOf(other, title, used));
      }
      others.push(title);
      byKey.set(key, others);
    }
  }
  return links;
}

function linkOf(a: PlacedTitle, b: PlacedTitle, used: ReadonlySet<string>): TitleLink {
  const evaluation = evaluateLink(a.market.facts!, b.market.facts!);
  const isOneEvent = a.market.eventId === b.market.eventId && used.has(a.market.key) && used.has(b.market.key);
  return {
    a: a.id,
    b: b.id,
    confidence: evaluation.confidence,
    polarity: evaluation.polarity,
    used: evaluation.used && isOneEvent,
  };
}

/** Returns the keys of the markets whose links would be used. */
function usedMarkets(state: EventsState): ReadonlySet<string> {
  const events = [...state.events.values()].filter(({ members }) => members.length > 1);
  const links = events.flatMap((event) => toEventRecord(state, event, 0).links);
  return new Set(
    links.filter(({ used }) => used).map(({ provider, providerMarketId }) => marketKey(provider, providerMarketId)),
  );
}
