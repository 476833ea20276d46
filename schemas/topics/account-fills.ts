/**
 * Topics of the fills of followed accounts of venue_a: the pages in which the venue returns them, each fill once, and how
 * far the fills of each account are loaded.
 */
import {
  decimal,
  flag,
  type Infer,
  integer,
  list,
  nullable,
  oneOf,
  record,
  text,
  timestamp,
  withDefault,
} from '../avro.ts';
import { defineTopic } from './topic.ts';

const user = text('Address of the account, lower case.');

const fillFields = {
  provider: oneOf(['venue_a_perp', 'venue_a_outcome', 'venue_a_dex'], 'Fine-grained provider of the coin.'),
  coin: text('The coin, as on the wire.'),
  time: timestamp('Time of its block.'),
  side: oneOf(['buy', 'sell'], 'Side of the account.'),
  role: oneOf(['maker', 'taker'], 'Side of the trade.'),
  price: decimal('Price.'),
  qty: decimal('Quantity.'),
  startPosition: decimal('Position before the fill.'),
  dir: text("The venue's own word for what the fill did."),
  closedPnl: decimal("The venue's own figure: gross of fees, on the average entry price."),
  hash: text('Hash of the transaction; all zero for many fills.'),
  tid: nullable(integer("The venue's id of the trade, the same for both of its users; null in old fills.")),
  oid: integer("The venue's id of the order."),
  fee: decimal('The whole fee in `feeToken`; negative is a rebate.'),
  feeToken: text('The token in which the fee was paid.'),
  isFeeTraded: flag(
    'The fee was paid in the token that was bought or sold: of a purchase, that quantity never arrived.',
  ),
  builderFee: nullable(decimal('The part of the fee for the builder; null without one.')),
  builder: nullable(text('The builder, lower case; null without one, and where the source does not name it.')),
  liquidatedUser: nullable(
    text('Whose position was liquidated; null if the venue does not name it, or without a liquidation.'),
  ),
  liquidationMark: nullable(decimal('Mark price of the liquidation; null without one.')),
  liquidationMethod: nullable(text("The venue's own word for how it was liquidated; null without a liquidation.")),
};

const venueFill = record('VenueAFill', 'A fill of one account, as the venue states it.', fillFields);
export type VenueAFill = Infer<typeof venueFill>;

/** The two lists that contain all fills together: the slices of TWAP orders can be missing in the other one. */
export const FILL_LISTS = ['orders', 'twaps'] as const;
export type FillList = (typeof FILL_LISTS)[number];

const fillPage = record('FillPage', 'One response to a request for the fills of an account.', {
  user,
  list: oneOf(FILL_LISTS, '`twaps`: fills of slices of TWAP orders.'),
  from: timestamp('Start of the requested time, inclusive.'),
  until: nullable(timestamp('End of the requested time, inclusive; null if none was requested.')),
  requestedAt: withDefault(nullable(timestamp('When the request was sent; null where that is not recorded.')), null),
  receivedAt: timestamp('When the response was received.'),
  isFull: flag('The venue returned as many fills as a page holds, so later ones may be missing.'),
  fills: list(venueFill, 'Oldest first.'),
});
export type FillPage = Infer<typeof fillPage>;
export const fillPageTopic = defineTopic({
  name: 'derived.fill-pages.venue_a',
  description: 'Responses of venue_a with fills of followed accounts.',
  key: 'user',
  partitions: 4,
  retention: { kind: 'derived' },
  schema: fillPage,
});

const subscribedFills = record('SubscribedFills', 'Fills of one account that its subscription brought.', {
  user,
  receivedAt: timestamp('When they were received.'),
  fills: list(venueFill, 'In the order of the venue; after each connection its newest ones are repeated.'),
});
export type SubscribedFills = Infer<typeof subscribedFills>;
export const subscribedFillTopic = defineTopic({
  name: 'derived.subscribed-fills.venue_a',
  description: 'Fills of the followed accounts of venue_a that traded last, as their subscriptions bring them.',
  key: 'user',
  partitions: 4,
  retention: { kind: 'derived' },
  schema: subscribedFills,
});

const account = text('Venue and address of the account: `<venue>:<address>`.');
const ledger = timestamp('Which ledger of the account: the event time at which it began.');

const accountFill = record('AccountFill', 'A fill of a followed account.', {
  account,
  ledger,
  id: text('Id of its trade.'),
  receivedAt: timestamp('When the fill reached the ledger.'),
  ...fillFields,
});
export type AccountFill = Infer<typeof accountFill>;
/** A fill is published again when a source adds its builder. */
export const accountFillTopic = defineTopic({
  name: 'derived.account-fills.venue_a',
  description: 'Fills of followed accounts of venue_a, each once.',
  key: 'account',
  partitions: 4,
  retention: { kind: 'derived' },
  schema: accountFill,
});

const fillLoad = record('FillLoad', 'How far the fills of a followed account are loaded.', {
  account,
  user,
  ledger,
  receivedAt: timestamp('Event time of the input that caused it.'),
  knownAt: withDefault(
    nullable(timestamp('Event time of the first response about each list, with which figures are known; null before.')),
    null,
  ),
  loadedAt: nullable(timestamp('Event time at which the whole history was loaded; null before.')),
  ordersFrom: timestamp('Start of the next request for fills.'),
  twapsFrom: timestamp('Start of the next request for slices of TWAP orders.'),
  ordersCompleteAt: nullable(
    timestamp(
      'Up to when all of its fills have arrived: when the request of the newest complete response was sent. Null before the first.',
    ),
  ),
  twapsCompleteAt: nullable(timestamp('The same of slices of TWAP orders.')),
  tradedAt: nullable(
    timestamp('When the newest recorded trade that names the account was received; null without one.'),
  ),
  missingFrom: withDefault(
    nullable(timestamp('Time of the oldest recorded trade that is missing among the fills; null if none is.')),
    null,
  ),
  skippedAt: withDefault(
    nullable(
      timestamp(
        'The first time with as many fills as a page holds: the venue returns no others of it. Null without one.',
      ),
    ),
    null,
  ),
});
export type FillLoad = Infer<typeof fillLoad>;
/** Ingest reads it to know what to request next; that of an account that no binding names any more is removed. */
export const fillLoadTopic = defineTopic({
  name: 'derived.fill-loads.venue_a',
  description: 'How far the fills of followed accounts of venue_a are loaded.',
  key: 'account',
  partitions: 1,
  retention: { kind: 'compacted' },
  schema: fillLoad,
});

const tradeRecording = record('TradeRecording', 'Since when every trade of venue_a has been recorded.', {
  since: nullable(timestamp('Since when no trade was missed; null while some may be missed.')),
  receivedAt: timestamp('Event time of the input that caused it.'),
});
export type TradeRecording = Infer<typeof tradeRecording>;
/** The only key of the topic below. */
export const TRADE_RECORDING_KEY = 'venue_a';
/** While no trade is missed, an account without a missing trade has all of its fills. */
export const tradeRecordingTopic = defineTopic({
  name: 'derived.trade-recording.venue_a',
  description: 'Since when every trade of venue_a has been recorded.',
  key: 'venue',
  partitions: 1,
  retention: { kind: 'compacted' },
  schema: tradeRecording,
});

/**
 * The time up to which all fills of an account have arrived, unix ms; null before both lists were read to their end.
 * @param recordedSince since when every trade of the venue has been recorded; null while some may be missed.
 * @param now the time up to which both records are known.
 */
export function fillsThrough(load: FillLoad, recordedSince: number | null, now: number): number | null {
  const { ordersCompleteAt, twapsCompleteAt, missingFrom } = load;
  if (ordersCompleteAt === null || twapsCompleteAt === null) return null;
  const completeAt = Math.min(ordersCompleteAt, twapsCompleteAt);
  if (recordedSince === null || recordedSince > completeAt) return completeAt;
  return missingFrom === null ? Math.max(completeAt, now) : missingFrom - 1;
}
