/** Topics of the stage `ledgers`: which ledgers exist, what each event of a followed account did, and which of its books are open. */
import {
  decimal,
  flag,
  type Infer,
  integer,
  list,
  nullable,
  oneOf,
  product,
  record,
  text,
  timestamp,
  withDefault,
} from '../avro.ts';
import { EFFECT_KINDS } from '../domain/ledger/effect.ts';
import { defineTopic } from './topic.ts';

const account = text('Venue and address of the account: `<venue>:<address>`.');
const ledger = timestamp('Which ledger of the account: the event time at which it began. A later one replaces it.');
const venueOf = (name: string) => name.slice(0, name.indexOf(':'));
const builder = nullable(text('Builder of the book; null for the book without builder.'));

const followedLedger = record('Ledger', 'The ledger of an account that is followed.', {
  account,
  ledger,
});
export type FollowedLedger = Infer<typeof followedLedger>;
/** The ledger of an account that no binding names any more is removed. */
export const ledgerTopic = defineTopic({
  name: 'derived.ledgers',
  description: 'Ledgers of followed accounts.',
  key: 'account',
  partitions: 4,
  retention: { kind: 'compacted' },
  schema: followedLedger,
});

const closedPart = record('ClosedPart', 'A part of a lot that an event closed.', {
  openedBy: text('Id of the event that opened the lot.'),
  qty: decimal('Quantity, negative for a negative lot.'),
});

const ledgerEvent = record('LedgerEventRow', 'What one event did to one book of an account.', {
  account,
  ledger,
  id: text('Id of the event; of a fill, the id of its trade. `:late` follows where it came too late to be applied.'),
  part: integer('Counts the books that the event changed, from 0.'),
  state: oneOf(['applied', 'removed'], '`removed`: the event, or its effect on this book, does not exist any more.'),
  kind: oneOf(EFFECT_KINDS, 'What happened.'),
  at: integer("The venue's order: block on chain, unix ms elsewhere."),
  index: integer('Log index on chain, 0 elsewhere.'),
  nth: withDefault(integer('Counts the events of the account at that place in the order of the ledger, from 0.'), 0),
  ts: timestamp("The venue's time."),
  receivedAt: timestamp('When the event reached the ledger.'),
  instrument: text('Coin or token.'),
  builder,
  qty: decimal('Change of the position; negative: quantity left it.'),
  price: nullable(decimal('Price; null where it is unknown, and where lots were removed at cost.')),
  opened: decimal('Quantity of the lot that the event opened, 0 without one.'),
  enlarged: withDefault(
    nullable(text("Id of the event whose lot the venue's rounding enlarged; null where it enlarged none.")),
    null,
  ),
  longQty: withDefault(decimal('Change of the quantity of positive lots.'), '0'),
  knownQty: withDefault(decimal('Change of the quantity of lots whose cost is known.'), '0'),
  knownCost: withDefault(product('Change of the cost of these lots.'), '0'),
  realized: nullable(
    decimal('Realized on closed lots of known cost; null if none of what was closed has a known cost.'),
  ),
  notional: decimal('Price times quantity of a fill, half-even at 18 decimals; 0 for any other event.'),
  fee: nullable(decimal('Fee in USD, 0 for what is no fill; null if it is unknown.')),
  role: nullable(oneOf(['maker', 'taker'], 'Side of the trade of a fill; null for what is no public trade.')),
  tradedInstrument: nullable(text('What the taker of that trade traded; with `id` and `ts` it identifies the trade.')),
  partial: flag('From here on the figures of the book leave something out.'),
  closes: list(closedPart, 'The closed parts of lots, in order.'),
});
export type LedgerEventRow = Infer<typeof ledgerEvent>;
/** A row is published again when a late, corrected or removed event changes it. */
export const ledgerEventTopic = defineTopic({
  name: 'derived.ledger-events',
  description: 'What the events of followed accounts did to their books.',
  key: 'account',
  partitions: 4,
  retention: { kind: 'derived' },
  schema: ledgerEvent,
  counted: {
    metric: 'ledgerEvents',
    labelsOf: ({ account: name, kind, state }) => (state === 'applied' ? { venue: venueOf(name), kind } : null),
  },
});

const openBook = record('OpenBook', 'A book of an account in which lots are open.', {
  account,
  ledger,
  instrument: text('Coin or token.'),
  builder,
  receivedAt: timestamp('Event time of the input that caused it.'),
  rebuilt: flag('A late, corrected or removed event changed the effects of events of the account.'),
});
export type OpenBook = Infer<typeof openBook>;
/** Published when the first lot of a book opens, and when a book is rebuilt. A book without lots is removed. */
export const openBookTopic = defineTopic({
  name: 'derived.open-books',
  description: 'Which books of followed accounts have open lots.',
  key: 'account, instrument and builder',
  partitions: 4,
  retention: { kind: 'compacted' },
  schema: openBook,
  counted: {
    metric: 'ledgerRebuilds',
    labelsOf: ({ account: name, rebuilt }) => (rebuilt ? { venue: venueOf(name) } : null),
  },
});
