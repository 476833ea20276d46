/** Topics of the normalisers: one for each kind of record and venue, so that each partition has one writer. */
import {
  type AvroType,
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
import { VENUES, type Venue } from '../domain/providers.ts';
import { resolution } from './oracle.ts';
import { COMPACTED_FOR_PROCESSORS, defineTopic, type Retention, type Topic } from './topic.ts';

function perVenue<T>(
  recordKind: string,
  description: string,
  key: string,
  partitions: number,
  retention: Retention,
  schema: AvroType<T>,
): Record<Venue, Topic<T>> {
  return Object.fromEntries(
    VENUES.map((venue) => [
      venue,
      defineTopic({
        name: `derived.${recordKind}.${venue}`,
        description: `${description} of ${venue}.`,
        key,
        partitions,
        retention,
        schema,
      }),
    ]),
  ) as Record<Venue, Topic<T>>;
}

const tradeOrders = record('TradeOrders', 'The two orders of a trade, each as its own account sees it (chain only).', {
  makerInstrument: text(
    "The token that the maker traded; another one than the taker's where both bought or both sold.",
  ),
  makerSide: oneOf(['buy', 'sell'], "The maker's side."),
  makerPrice: decimal("Price of the maker's token, half-even at 18 decimals."),
  makerBuilder: nullable(text("Builder of the maker's order; null without one.")),
  makerFee: nullable(decimal('Fee of the maker in USD; null if it is unknown.')),
  takerBuilder: nullable(text("Builder of the taker's order; null without one, and without a log of that order.")),
  takerFee: nullable(decimal("Part of the taker's fee in USD, by quantity; null if it is unknown.")),
});
export type TradeOrders = Infer<typeof tradeOrders>;

const trade = record('Trade', "One observed trade; the taker's view on the instrument it traded.", {
  id: text('`<provider>:<tx hash>:<log index>` on chain, `<provider>:<coin>:<time>:<tid>` elsewhere.'),
  provider: text('Fine-grained provider (specification, Trade record).'),
  marketId: nullable(
    text('Condition id (venue_b), YES coin (venue_a_outcome) or coin; null until the catalog knows the token.'),
  ),
  instrument: text('The coin or token that was traded.'),
  outcome: nullable(text('Name of the traded outcome.')),
  ts: timestamp("The venue's time: block time on chain."),
  receivedAt: timestamp('When it was received.'),
  arrival: integer('Counts the trades of a venue in order of arrival: the tie-break at equal times.'),
  side: oneOf(['buy', 'sell'], "The taker's side."),
  price: decimal('Price; on chain USD / quantity, half-even at 18 decimals.'),
  qty: decimal('Quantity of the instrument.'),
  usd: nullable(decimal('Exact USD of the trade, where the venue states it.')),
  maker: nullable(text('Address of the maker, lower case.')),
  taker: nullable(text('Address of the taker, lower case.')),
  txHash: nullable(text('Transaction hash.')),
  logIndex: nullable(integer('Log index (chain only).')),
  tradeId: nullable(text("The venue's own trade id.")),
  blockNumber: nullable(integer('Block number (chain only).')),
  blockHash: nullable(text('Block hash (chain only).')),
  status: oneOf(
    ['pending', 'confirmed', 'reverted'],
    'Chain trades are pending until deep enough; others are confirmed.',
  ),
  orders: withDefault(nullable(tradeOrders), null),
});
export type Trade = Infer<typeof trade>;
/** `derived.trades.<venue>`; a trade is published again under its id when its status or its market changes. */
export const tradeTopics = perVenue('trades', 'Trades', 'instrument', 4, { kind: 'derived' }, trade);

/**
 * Trades of venue_b from before the service followed its chain, which a backfill found. They are history, so stages that
 * publish live trades do not read them. `arrival` is the log index: trades of equal time keep the order of their block.
 */
export const backfilledTradeTopic = defineTopic({
  name: 'derived.backfilled-trades.venue_b',
  description: 'Trades of venue_b from before its chain was followed, found by backfills.',
  key: 'instrument',
  partitions: 1,
  retention: { kind: 'derived' },
  schema: trade,
});

const receivedToken = record('ReceivedToken', 'A token that a conversion gave.', {
  instrument: text('The token.'),
  marketId: nullable(text('Its market; null where the catalog did not list it yet.')),
});

const positionMove = record('PositionMove', 'Tokens of an account that changed without a trade.', {
  id: text('`<provider>:<tx hash>:<log index>`.'),
  account: text('Address of the account, lower case.'),
  kind: oneOf(
    ['split', 'merge', 'convert'],
    '`split`: collateral became a complete set of outcome tokens; `merge`: the reverse; `convert`: NO tokens became the YES tokens of the other questions of their event, and collateral.',
  ),
  marketIds: list(
    text('Condition id'),
    'The market that was split or merged, or the markets whose NO tokens were converted, in the order of their questions.',
  ),
  received: list(receivedToken, 'The YES tokens that a conversion gave; empty for splits and merges.'),
  qty: decimal('Quantity of each token.'),
  ts: timestamp('Block time.'),
  receivedAt: timestamp('When it was received.'),
  arrival: integer(
    'Counts the moves in order of arrival; a move that is included again after a reversal has a new one.',
  ),
  txHash: text('Transaction hash.'),
  logIndex: integer('Log index.'),
  blockNumber: integer('Block number.'),
  blockHash: text('Block hash.'),
  status: oneOf(['pending', 'confirmed', 'reverted'], '`pending` until deep enough; `reverted` by a reorganization.'),
});
export type PositionMove = Infer<typeof positionMove>;
/** A move is published again under its id when its status changes. Moves of exchanges belong to trades and are left out. */
export const positionMoveTopic = defineTopic({
  name: 'derived.position-moves.venue_b',
  description: 'Splits, merges and conversions of the accounts of venue_b.',
  key: 'account',
  partitions: 4,
  retention: { kind: 'derived' },
  schema: positionMove,
});

const backfilledEvent = record(
  'BackfilledEvent',
  'What a backfill found of a wallet; one of `trade`, `move` and `resolution` is set.',
  {
    account: text('Address of the wallet, lower case.'),
    ledger: withDefault(
      nullable(
        timestamp('Event time of the binding for which it was found; null in records that are older than this field.'),
      ),
      null,
    ),
    receivedAt: timestamp('When it was received.'),
    trade: nullable(trade),
    move: nullable(positionMove),
    resolution: withDefault(nullable(resolution), null),
  },
);
export type BackfilledEvent = Infer<typeof backfilledEvent>;
/** Events of wallets that backfills found, in blocks that are followed too: the ledger of the wallet gets all of them. */
export const backfilledEventTopic = defineTopic({
  name: 'derived.backfilled-events.venue_b',
  description:
    'Trades, splits, merges and conversions of wallets of venue_b that backfills found, and how their markets were resolved before the chain was followed.',
  key: 'account',
  partitions: 4,
  retention: { kind: 'derived' },
  schema: backfilledEvent,
});

export const bookLevel = record('BookLevel', 'One price level.', {
  price: decimal('Price.'),
  size: decimal('Total size at the price; 0 in a delta removes the level.'),
});
const bookUpdate = record('BookUpdate', 'A complete book, or its changed levels.', {
  provider: text('Fine-grained provider.'),
  instrument: text('Coin or token.'),
  marketId: nullable(text('The market it belongs to, where the catalog knows it.')),
  feed: text('The connection it came over.'),
  ts: timestamp("The venue's time."),
  receivedAt: timestamp('When it was received.'),
  snapshot: flag('True: replaces the book. False: changes it.'),
  bids: list(bookLevel, 'Bids, best first in a snapshot.'),
  asks: list(bookLevel, 'Asks, best first in a snapshot.'),
});
export type BookUpdate = Infer<typeof bookUpdate>;
export type BookLevel = Infer<typeof bookLevel>;
/** `derived.books.<venue>`. */
export const bookTopics = perVenue(
  'books',
  'Book snapshots and changes',
  'instrument',
  4,
  { kind: 'hours', hours: 48 },
  bookUpdate,
);

const market = record('Market', "A prediction market as its venue's catalog lists it.", {
  provider: text('Fine-grained provider.'),
  marketId: text('Condition id (venue_b) or YES coin (venue_a_outcome).'),
  receivedAt: timestamp('When this state of it was received.'),
  title: text("The venue's title or question."),
  description: text("The venue's description or rules text."),
  groupTitle: nullable(text('Title of the event or question that the market belongs to.')),
  groupItemTitle: nullable(text('What distinguishes it from its siblings, e.g. `64,000`.')),
  slug: nullable(text("The venue's slug.")),
  resolutionSource: nullable(text('The named settlement source.')),
  startTime: nullable(timestamp('When the question starts (short price markets).')),
  endTime: nullable(timestamp("The market's own deadline.")),
  instruments: list(
    text('Coin or token'),
    "Tradable instruments in the venue's order; index 0 is YES or the first name.",
  ),
  outcomes: list(text('Name'), 'Outcome names in the same order.'),
  active: flag('Open for trading, according to the catalog.'),
  closed: flag('Closed, according to the catalog.'),
  takerFeeRate: nullable(decimal("Fee rate for the venue's fee formula; null is unknown.")),
  fields: text('Structured fields of the venue that describe the question, as a JSON object.'),
  resolved: withDefault(
    flag(
      'Resolved, according to the catalog; a closed market may not be resolved yet. False in records that are older than this field, until a replay.',
    ),
    false,
  ),
  name: withDefault(nullable(text('A display name, for a market that shares its title with many others.')), null),
});
export type Market = Infer<typeof market>;
/** `derived.markets.<venue>`. */
export const marketTopics = perVenue('markets', 'The catalog', 'market', 1, COMPACTED_FOR_PROCESSORS, market);

const marketStatus = record('MarketStatus', 'Whether the prices of a market can be relied on.', {
  provider: text('The provider.'),
  instrument: text('Coin or token.'),
  marketId: nullable(text('The market it belongs to, where the catalog knows it.')),
  feed: text('The connection that carries its book.'),
  state: oneOf(
    ['live', 'stale', 'recovering', 'venue_down'],
    '`stale`: its socket is silent, or nothing was received for 30 s; `recovering`: its connection is lost, or its book may have missed changes and awaits a complete one; `venue_down`: reconnecting keeps failing.',
  ),
  receivedAt: timestamp('Event time of the input that caused it.'),
  since: timestamp('Since when.'),
});
export type MarketStatus = Infer<typeof marketStatus>;
/** `derived.status.<venue>`. */
export const statusTopics = perVenue(
  'status',
  'Liveness of markets',
  'instrument',
  1,
  COMPACTED_FOR_PROCESSORS,
  marketStatus,
);

const instrument = record('Instrument', 'A market with a book of its own: a perpetual, a spot pair.', {
  provider: text('Fine-grained provider.'),
  coin: text("The venue's coin."),
  receivedAt: timestamp('When this state of it was received.'),
  kind: oneOf(['perp', 'spot', 'outcome'], 'What is traded.'),
  sizeDecimals: integer('Decimals of a size.'),
  maxLeverage: nullable(integer('Largest leverage.')),
  delisted: flag('No longer listed.'),
  index: integer("Its index in the venue's universe."),
  dex: withDefault(nullable(text('Builder dex of a contract; null for any other instrument.')), null),
  base: withDefault(nullable(text('Name of the base token of a spot pair; null for any other instrument.')), null),
  quote: withDefault(nullable(text('Name of the quote token of a spot pair; null for any other instrument.')), null),
  quoteDecimals: withDefault(
    nullable(integer('Decimals of the quote token of a spot pair; those of its base are `sizeDecimals`.')),
    null,
  ),
  canonical: withDefault(
    flag('True for the one spot pair that its names mean: of those with equal names, the one with the largest volume.'),
    false,
  ),
  tradesLeftOut: withDefault(
    flag("True if its trades are not subscribed, since the venue's limit of subscriptions leaves them out."),
    false,
  ),
});
export type Instrument = Infer<typeof instrument>;
/** `derived.instruments.<venue>`. */
export const instrumentTopics = perVenue('instruments', 'Coins', 'coin', 1, COMPACTED_FOR_PROCESSORS, instrument);

const assetContext = record('AssetContext', 'The newest figures that a venue publishes about a coin.', {
  provider: text('Fine-grained provider.'),
  coin: text("The venue's coin."),
  receivedAt: timestamp('When it was received.'),
  markPrice: nullable(decimal('Mark price.')),
  oraclePrice: nullable(decimal('Oracle price.')),
  midPrice: nullable(decimal('Middle of the book.')),
  funding: nullable(decimal('Hourly funding rate.')),
  openInterest: nullable(decimal('Open interest in base units.')),
  dayNotionalVolume: nullable(decimal('Quote volume of 24 hours.')),
  dayBaseVolume: nullable(decimal('Base volume of 24 hours.')),
  previousDayPrice: nullable(decimal('Price of 24 hours ago.')),
  circulatingSupply: withDefault(nullable(decimal('Circulating supply of the base token of a spot pair.')), null),
});
export type AssetContext = Infer<typeof assetContext>;
/** `derived.contexts.<venue>`. */
export const contextTopics = perVenue(
  'contexts',
  'Newest figures of coins',
  'coin',
  1,
  { kind: 'compacted' },
  assetContext,
);

const perpDex = record('PerpDex', 'A dex of a builder, whose perpetuals are called contracts.', {
  name: text('Its name, with which the coins of its contracts begin.'),
  receivedAt: timestamp('When this state of it was received.'),
  fullName: nullable(text('Its full name; null where the venue states none.')),
  deployer: nullable(text('Address of its deployer, lower case; null where the venue states none.')),
  delisted: flag('No longer listed.'),
  index: integer("Its index in the venue's list."),
});
export type PerpDex = Infer<typeof perpDex>;
export const perpDexTopic = defineTopic({
  name: 'derived.perp-dexes.venue_a',
  description: 'Builder dexes of venue_a, also those without contracts.',
  key: 'dex',
  partitions: 1,
  retention: { kind: 'compacted' },
  schema: perpDex,
});
