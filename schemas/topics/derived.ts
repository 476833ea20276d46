/** Records that no venue publishes itself: universal events, spreads, arbitrage. */
import {
  decimal,
  flag,
  float,
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
import { COMPACTED_FOR_PROCESSORS, defineTopic } from './topic.ts';

const link = record('EventLink', 'A market of one venue in a universal event.', {
  provider: text('Fine-grained provider.'),
  providerMarketId: text('Condition id (venue_b) or YES coin (venue_a_outcome).'),
  confidence: float('0..1.'),
  source: text('The method that linked it, e.g. `structured` or `ner`.'),
  polarity: oneOf(['same', 'inverse'], "Whether its YES is the event's YES."),
  used: flag('Strong enough for spreads and arbitrage.'),
  evidence: text('Which words or fields gave which part, as a JSON object.'),
  yesInstrument: text("Coin or token of the market's YES side; empty while the catalog names none."),
  noInstrument: nullable(text("Coin or token of the market's NO side.")),
  takerFeeRate: nullable(decimal("Rate for the venue's fee formula; null is unknown.")),
  marketState: withDefault(
    oneOf(
      ['open', 'closed', 'resolved'],
      '`closed`: its catalog says that it is no longer traded; `resolved`: its catalog or a resolution that was not reverted states its outcome.',
    ),
    'open',
  ),
  title: withDefault(text("The venue's name of the market, at most 200 characters; empty in older records."), ''),
  endTime: withDefault(nullable(timestamp("The market's own deadline, where its catalog has one.")), null),
});
export type EventLink = Infer<typeof link>;

const universalEvent = record('UniversalEvent', 'One question, whichever venues ask it.', {
  universalId: text('`evt_` and a hash of the first seen (provider, providerMarketId).'),
  receivedAt: timestamp('Receive time of the input that changed it.'),
  canonicalName: text('A name for people.'),
  kind: nullable(text('`price_binary`, …; null when nothing was recognised.')),
  underlying: nullable(text('Asset that the question is about.')),
  threshold: nullable(decimal('Strike.')),
  op: nullable(
    text(
      'Comparison that the event states, e.g. `gte`; for a price at a time it does not change with the linked markets.',
    ),
  ),
  resolutionTime: nullable(timestamp('When the question is decided.')),
  status: oneOf(
    ['open', 'closed', 'resolved'],
    '`closed`: past its resolution time, or no market is open; `resolved`: every linked market is resolved or settled.',
  ),
  firstSeenAt: timestamp('Receive time of its first market.'),
  lastSeenAt: timestamp(
    'When a catalog last contained a new or changed market of the event; unchanged ones do not count. At first the time of its creation.',
  ),
  links: list(link, 'Its markets, sorted by provider then market.'),
  mergedInto: nullable(text('The surviving event, where two turned out to be one.')),
  details: withDefault(
    text('Fields of its kind, e.g. `lower` and `upper` of a range: a JSON object of strings and nulls.'),
    '{}',
  ),
  overAt: withDefault(
    nullable(
      timestamp(
        'Since when all its markets are closed by their catalogs or resolved: the receive time of the input that closed the last one, or the end time of a market that was closed when it was first published, if that is known and earlier. Null while a market is open, and after a merge.',
      ),
    ),
    null,
  ),
});
export type UniversalEvent = Infer<typeof universalEvent>;
export const eventTopic = defineTopic({
  name: 'derived.events',
  description: 'Universal events with their links.',
  key: 'universalId',
  partitions: 1,
  retention: COMPACTED_FOR_PROCESSORS,
  schema: universalEvent,
});

const reconcile = record('Reconcile', 'The newest catalog pass.', {
  receivedAt: timestamp('When the pass ended.'),
  ingested: integer('Markets that were new or changed in it.'),
});
export type Reconcile = Infer<typeof reconcile>;
export const reconcileTopic = defineTopic({
  name: 'derived.reconcile',
  description: 'The newest catalog pass (`meta.lastReconcile`).',
  key: 'always `latest`',
  partitions: 1,
  retention: { kind: 'compacted' },
  schema: reconcile,
});

const leg = record('SpreadLeg', 'The YES book of one linked market, seen from the event.', {
  provider: text('Fine-grained provider.'),
  marketId: text('The market.'),
  yesBid: nullable(decimal('Best bid; null for an empty side or a book never received.')),
  yesAsk: nullable(decimal('Best ask.')),
  yesMid: nullable(decimal('Their middle; null unless both are known.')),
  live: flag('Not stale: its connection is alive and its book is complete.'),
  bookAt: nullable(timestamp('Receive time of its last book frame.')),
  state: withDefault(
    nullable(
      oneOf(
        ['live', 'recovering', 'stale', 'venue_down', 'closed', 'resolved'],
        'The state of its connection and book, as in `MarketStatus`; `closed` or `resolved` for a market that is no longer traded. Null while nothing is known about it.',
      ),
    ),
    null,
  ),
});
export type SpreadLeg = Infer<typeof leg>;
const spread = record('Spread', 'The legs of one event at one moment.', {
  universalId: text('The event.'),
  receivedAt: timestamp('The moment (`fetchedAt`).'),
  legs: list(leg, 'Legs of every linked market in use, sorted by provider then market.'),
  causeProvider: nullable(
    text('The leg that caused it; null on a tick, and after a change of the event or of a setting.'),
  ),
  causeMarketId: nullable(
    text('The leg that caused it; null on a tick, and after a change of the event or of a setting.'),
  ),
});
export type Spread = Infer<typeof spread>;
/** The newest spread of every event, undebounced: REST returns it. */
export const spreadHeadTopic = defineTopic({
  name: 'derived.spread-heads',
  description: 'The newest spread of every event.',
  key: 'universalId',
  partitions: 4,
  retention: { kind: 'compacted' },
  schema: spread,
});
/** Spreads as published on the channel: when a leg's yesMid moved by 0.005 or more. */
export const spreadTopic = defineTopic({
  name: 'derived.spreads',
  description: 'Spreads whose yesMid moved by at least 0.005 on some leg.',
  key: 'universalId',
  partitions: 4,
  retention: { kind: 'derived' },
  schema: spread,
});

const arbitrage = record('Arbitrage', 'An arbitrage of one size on two venues, fees included.', {
  universalId: text('The event.'),
  receivedAt: timestamp('The moment (`at`).'),
  kind: oneOf(['cross_provider', 'negation_pair'], 'Which of the two forms.'),
  size: decimal('Shares walked.'),
  grossEdge: decimal('USD per share from the best prices.'),
  netEdge: decimal('USD per share after walking both books and fees.'),
  quoteAgeMs: integer("Age of the older leg's last book frame."),
  firstProvider: text('buyProvider, or yesProvider.'),
  firstMarketId: text('buyMarketId, or yesMarketId.'),
  firstPrice: decimal('buyPrice, or yesPrice: average of the walk.'),
  firstFee: decimal('buyFee, or yesFee: USD per share.'),
  secondProvider: text('sellProvider, or noProvider.'),
  secondMarketId: text('sellMarketId, or noMarketId.'),
  secondPrice: decimal('sellPrice, or noPrice.'),
  secondFee: decimal('sellFee, or noFee.'),
  causeProvider: nullable(
    text('The leg that caused it; null on a tick, and after a change of the event or of a setting.'),
  ),
  causeMarketId: nullable(
    text('The leg that caused it; null on a tick, and after a change of the event or of a setting.'),
  ),
});
export type Arbitrage = Infer<typeof arbitrage>;
/** The best record of every (event, kind) now, also when its net edge is negative; a tombstone when there is none. */
export const arbitrageHeadTopic = defineTopic({
  name: 'derived.arbitrage-heads',
  description: 'The best arbitrage of every event and kind now.',
  key: 'universalId:kind',
  partitions: 4,
  retention: { kind: 'compacted' },
  schema: arbitrage,
});
/** Profitable records, as published on the channel. */
export const arbitrageTopic = defineTopic({
  name: 'derived.arbitrage',
  description: 'Arbitrage with a positive net edge, at each change and at each tick.',
  key: 'universalId',
  partitions: 4,
  retention: { kind: 'derived' },
  schema: arbitrage,
});
