import { type EventLink, eventTopic, type UniversalEvent } from '../topics/derived.ts';
import { countColumn, nullableDecimalColumn, nullableTimeColumn, timeColumn } from './columns.ts';
import { defineTable, type TableRow } from './table.ts';

/** One row per universal event, its links as parallel arrays. */
export const eventsTable = defineTable<UniversalEvent>({
  name: 'events',
  description: 'Universal events with their links, newest state of each.',
  orderBy: ['universalId'],
  fromTopics: [eventTopic],
  row: (event, meta) => ({
    universalId: event.universalId,
    receivedAt: timeColumn(event.receivedAt),
    canonicalName: event.canonicalName,
    kind: event.kind,
    underlying: event.underlying,
    threshold: nullableDecimalColumn(event.threshold),
    op: event.op,
    resolutionTime: nullableTimeColumn(event.resolutionTime),
    status: event.status,
    firstSeenAt: timeColumn(event.firstSeenAt),
    lastSeenAt: timeColumn(event.lastSeenAt),
    mergedInto: event.mergedInto,
    details: event.details,
    overAt: nullableTimeColumn(event.overAt),
    ...linkColumns(event.links),
    removed: 0,
    version: countColumn(meta.seq),
  }),
  // Processors and views drop an archived event; only the table still has it.
  tombstone: 'ignored',
});

function linkColumns(links: readonly EventLink[]): TableRow {
  return {
    'links.provider': links.map((link) => link.provider),
    'links.providerMarketId': links.map((link) => link.providerMarketId),
    'links.confidence': links.map((link) => link.confidence),
    'links.source': links.map((link) => link.source),
    'links.polarity': links.map((link) => link.polarity),
    'links.used': links.map((link) => link.used),
    'links.evidence': links.map((link) => link.evidence),
    'links.yesInstrument': links.map((link) => link.yesInstrument),
    'links.noInstrument': links.map((link) => link.noInstrument),
    'links.takerFeeRate': links.map((link) => nullableDecimalColumn(link.takerFeeRate)),
  };
}
