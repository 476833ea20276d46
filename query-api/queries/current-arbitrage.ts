/** Arbitrage as of the time of a response, from the records that the view holds. */
import { type BookSide, bookSideOf } from '#schemas/domain/arbitrage/pair';
import { type ArbitrageRecord, toArbitrageRecord } from '#schemas/http/arbitrage';
import { type Arbitrage, arbitrageHeadTopic, type EventLink, type UniversalEvent } from '#schemas/topics/derived';
import { type Freshness, isBehind, lastBookAt } from '../views/freshness.ts';

/**
 * The records with the current age of their quotes. Empty while the figures lag: all legs are stale then, and a stale
 * leg has no arbitrage.
 */
export function currentArbitrage(
  freshness: Freshness,
  { links }: Pick<UniversalEvent, 'links'>,
  records: readonly Arbitrage[],
): ArbitrageRecord[] {
  if (isBehind(freshness, arbitrageHeadTopic)) return [];
  return records.map((record) => toArbitrageRecord({ ...record, quoteAgeMs: quoteAgeMs(freshness, links, record) }));
}

/**
 * The pipeline's time minus the time of the older leg's last book frame. The record holds the age of its quotes at its
 * own time; later frames that changed nothing in it count as well.
 */
function quoteAgeMs(freshness: Freshness, links: readonly EventLink[], record: Arbitrage): number {
  const known = record.receivedAt - record.quoteAgeMs;
  const [first, second] = instrumentsOf(links, record).map((instrument) =>
    Math.max(known, (instrument ? lastBookAt(freshness, arbitrageHeadTopic, instrument) : null) ?? known),
  );
  const now = Math.max(freshness.now() ?? record.receivedAt, record.receivedAt);
  return Math.max(0, now - Math.min(first!, second!));
}

/** The instruments whose books a record is calculated from, as in the spreads stage. */
function instrumentsOf(links: readonly EventLink[], record: Arbitrage): (string | null | undefined)[] {
  const linkOf = (provider: string, marketId: string) =>
    links.find((link) => link.provider === provider && link.providerMarketId === marketId);
  const first = linkOf(record.firstProvider, record.firstMarketId);
  const second = linkOf(record.secondProvider, record.secondMarketId);
  return [
    first && instrumentOf(first, bookSideOf(record.kind, true, first.polarity === 'inverse')),
    second && instrumentOf(second, bookSideOf(record.kind, false, second.polarity === 'inverse')),
  ];
}

/** The instrument whose book a half of a pair takes from; null if the catalog names none. */
export function instrumentOf({ yesInstrument, noInstrument }: EventLink, { token }: BookSide): string | null {
  return token === 'yes' ? yesInstrument || null : noInstrument;
}
