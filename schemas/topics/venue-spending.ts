/** What ingest may spend of the limits of a venue, so that a process knows what an earlier one has spent. */
import { type Infer, integer, list, nullable, record, text, timestamp } from '../avro.ts';
import { defineTopic } from './topic.ts';

const spent = record('SpentCost', 'Costs that count against a limit since about the same time.', {
  at: timestamp('Wall time since which they count.'),
  cost: integer('Sum of the costs.'),
});
export type SpentCost = Infer<typeof spent>;

const venueSpending = record('VenueSpending', 'What was spent of a limit of a venue, and what may be spent next.', {
  receivedAt: timestamp('Wall time of the record.'),
  venue: text('The venue.'),
  limit: text('The limit: weight, connections, new_connections, subscriptions or messages.'),
  spent: list(spent, 'What counts against the limit, oldest first.'),
  granted: integer('What may be spent from now on without another record, with what is being spent now.'),
  blockedUntil: nullable(
    timestamp('Wall time until which the venue demanded that nothing is spent. Null if it did not.'),
  ),
});
export type VenueSpending = Infer<typeof venueSpending>;

/** Written by the holder of the lease of ingest, before it spends. */
export const venueSpendingTopic = defineTopic({
  name: 'control.venue-spending',
  description: 'What ingest has spent of the limits of the venues, and what it may spend next, written before it does.',
  key: '`<venue>/<limit>`',
  partitions: 1,
  retention: { kind: 'compacted' },
  schema: venueSpending,
});
