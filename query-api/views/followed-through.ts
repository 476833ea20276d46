/**
 * Up to when figures of venue_b are complete: the time of the newest followed block all of whose rows are in their table,
 * unix ms; null while it is not known. Call each before the table is read.
 */
import { candleBarsTable } from '#schemas/tables/candle-bars';
import { accountFillTopic, fillLoadTopic } from '#schemas/topics/account-fills';
import { accountFlowTopics } from '#schemas/topics/account-flows';
import { accountSeriesTopic } from '#schemas/topics/account-series';
import { candleRangeTopic } from '#schemas/topics/candles';
import { followedBlockTopic } from '#schemas/topics/followed-blocks';
import { ledgerEventTopic } from '#schemas/topics/ledgers';
import { tradeTopics } from '#schemas/topics/normalised';
import { type Freshness, tablesUntil } from './freshness.ts';

type FollowedThrough = (freshness: Freshness) => Promise<number | null>;

/** Of trades. */
export const tradesThrough: FollowedThrough = ({ followedThrough }) =>
  followedThrough(followedBlockTopic, [tradeTopics.venue_b]);

/** Of fills of followed accounts. The stage of the ledgers also writes `fillLoadTopic`, which a view follows. */
export const chainFillsThrough: FollowedThrough = ({ followedThrough }) =>
  followedThrough(fillLoadTopic, [ledgerEventTopic]);

/** Of bars from trades. */
export const chainBarsThrough: FollowedThrough = ({ followedThrough }) =>
  followedThrough(candleRangeTopic, candleBarsTable.fromTopics);

/** Of flows of followed accounts. The stage of the flows also writes `accountSeriesTopic`, which a view follows. */
export const chainFlowsThrough: FollowedThrough = ({ followedThrough }) =>
  followedThrough(accountSeriesTopic, [accountFlowTopics.venue_b]);

/**
 * Of venue_a: event time up to which the tables hold the fills of followed accounts that arrived, whichever these are.
 * How far the fills of an account have arrived is in its load (`fillsThroughOf`).
 */
export const coinFillsUntil: FollowedThrough = (freshness) =>
  tablesUntil(freshness, fillLoadTopic, [accountFillTopic, ledgerEventTopic], null);
