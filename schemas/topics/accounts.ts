/** Topics of what accounts own and what that is worth: acquisitions of the normalisers, values of the stage `accounts`. */
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
import { ACCOUNT_MODES } from '../domain/accounts/venue-a-account.ts';
import { BUCKET_KINDS } from '../domain/accounts/venue-a-value.ts';
import { VENUES, type Venue } from '../domain/providers.ts';
import { COMPACTED_FOR_PROCESSORS, defineTopic, type Retention, type Topic } from './topic.ts';

/** Values are calculated at once; the acquisitions remain as long as a replay of recent days may need them. */
const RETENTION: Retention = { kind: 'hours', hours: 48 };
const account = text('Venue and address of the account: `<venue>:<address>`.');
const source = oneOf(['node', 'official'], 'Where the states came from; the account mode is always from the venue.');

const dexState = record('AcquiredDex', 'The perpetuals of an account on one dex, in its collateral token.', {
  dex: text('The dex; empty for the main one.'),
  collateralToken: nullable(integer('Index of its collateral token; null if it is unknown.')),
  accountValue: decimal('Equity.'),
  withdrawable: decimal('What can be withdrawn.'),
  marginUsed: decimal('Margin in use.'),
  unrealizedPnl: decimal('Sum over the positions.'),
});

const spotBalance = record('AcquiredBalance', 'A spot balance of an account.', {
  coin: text('Name of the token; `+E` for a side of a live outcome, `oN` for a settled outcome.'),
  token: nullable(integer('Index of the token; null where the venue states none.')),
  total: decimal('Negative for a borrowed token.'),
  hold: decimal('The part that orders hold.'),
});

const acquiredPrice = record('AcquiredPrice', 'The price of something that the account owns.', {
  key: text('Index of a token, or coin of an outcome balance.'),
  usd: decimal('USD.'),
});

const venueAAcquisition = record('VenueAAcquisition', 'What one set of responses states about an account of venue_a.', {
  account,
  receivedAt: timestamp('When its last response was received.'),
  asOf: timestamp('The oldest time of the states; when they were received where they have none.'),
  source,
  mode: oneOf(ACCOUNT_MODES, 'The account mode.'),
  dexes: list(dexState, 'All dexes.'),
  balances: list(spotBalance, 'All spot balances.'),
  vaultUsd: decimal('USD in vaults.'),
  staked: decimal('HYPE that is delegated, undelegated or on its way out.'),
  prices: list(acquiredPrice, 'Prices of the spot contexts at that time, as far as they are recent.'),
});
export type VenueAAcquisition = Infer<typeof venueAAcquisition>;
export const venueAAcquisitionTopic = defineTopic({
  name: 'derived.acquisitions.venue_a',
  description: 'Complete sets of responses about accounts of venue_a, with the prices of their time.',
  key: 'account',
  partitions: 1,
  retention: RETENTION,
  schema: venueAAcquisition,
});

const acquiredPosition = record('AcquiredPosition', 'A position of an account of venue_b.', {
  asset: text('The token.'),
  size: decimal('Quantity.'),
  price: decimal("The venue's current price."),
  redeemable: withDefault(flag('The outcome is known, and the token can be redeemed.'), false),
});

const venueBAcquisition = record('VenueBAcquisition', 'What one set of responses states about an account of venue_b.', {
  account,
  receivedAt: timestamp('When its last response was published.'),
  asOf: withDefault(
    nullable(timestamp('When its oldest response was received; null in records that are older than this field.')),
    null,
  ),
  positions: list(acquiredPosition, 'All positions.'),
  cash: list(decimal('USD'), 'Balance of each collateral token at one block.'),
});
export type VenueBAcquisition = Infer<typeof venueBAcquisition>;
export const venueBAcquisitionTopic = defineTopic({
  name: 'derived.acquisitions.venue_b',
  description: 'Complete sets of responses about accounts of venue_b.',
  key: 'account',
  partitions: 1,
  retention: RETENTION,
  schema: venueBAcquisition,
});

const failedAcquisition = record('FailedAcquisition', 'A set of responses about an account that cannot be read.', {
  account,
  receivedAt: timestamp('When its last response was received.'),
  reason: text('What is wrong with which response.'),
});
export type FailedAcquisition = Infer<typeof failedAcquisition>;
/** `derived.failed-acquisitions.<venue>`: ingest publishes only what can be read, so these come from recordings. */
export const failedAcquisitionTopics = Object.fromEntries(
  VENUES.map((venue) => [
    venue,
    defineTopic({
      name: `derived.failed-acquisitions.${venue}`,
      description: `Sets of responses about accounts of ${venue} that cannot be read.`,
      key: 'account',
      partitions: 1,
      retention: RETENTION,
      schema: failedAcquisition,
    }),
  ]),
) as Record<Venue, Topic<FailedAcquisition>>;

const bucket = record('AccountBucket', 'A part of the value of an account.', {
  kind: oneOf(BUCKET_KINDS, 'Which part.'),
  usd: decimal('USD.'),
});
const valuedBalance = record('ValuedBalance', 'A spot balance with its worth.', {
  coin: text('Name of the token.'),
  total: decimal('Negative for a borrowed token.'),
  hold: decimal('The part that orders hold.'),
  usd: decimal('USD of the total.'),
});
const valuedDex = record('ValuedDex', 'The perpetuals of an account on one dex, in USD.', {
  dex: text('The dex; empty for the main one.'),
  accountValueUsd: decimal('Equity.'),
  unrealizedPnlUsd: decimal('Sum over the positions.'),
});

const accountValue = record('AccountValue', 'What an account is worth, from one acquisition.', {
  account,
  receivedAt: timestamp('When the last response of the acquisition was received.'),
  asOf: timestamp('The time of the state that is valued; of venue_b when its oldest response was received.'),
  source: nullable(source),
  unpriced: nullable(text('What has no price, so that there is no value; null otherwise.')),
  failure: withDefault(nullable(text('Why the responses cannot be valued; null otherwise.')), null),
  mode: nullable(text('The account mode (venue_a).')),
  valueUsd: nullable(decimal('Complete value of venue_a; positions of venue_b, null without any.')),
  availableUsd: nullable(decimal('What can be withdrawn; of venue_b the cash.')),
  navUsd: nullable(decimal('All assets; null only where there is no value.')),
  unrealizedPnlUsd: nullable(decimal('Over all dexes (venue_a).')),
  buckets: list(bucket, 'Parts that sum to the value (venue_a).'),
  spotBalances: list(valuedBalance, 'Every spot balance (venue_a).'),
  perpByDex: list(valuedDex, 'Every dex (venue_a).'),
});
export type AccountValue = Infer<typeof accountValue>;
/**
 * The newest acquisition of each account, whether it has a value or not. Earlier ones are stored for a day, for the table
 * from which checkpoints are read.
 */
export const accountValueTopic = defineTopic({
  name: 'derived.account-values',
  description: 'The newest value of each account that was read.',
  key: 'account',
  partitions: 4,
  retention: COMPACTED_FOR_PROCESSORS,
  schema: accountValue,
});
