/**
 * The normaliser of venue_b: turns raw records of the venue and its chain into trades, books, markets, statuses, raw
 * channels, dispute phases and resolutions.
 */
import { type Emit, on, type Stage, type StageRecord } from '#infra/stages/stage';
import { failedAcquisitionTopics, venueBAcquisitionTopic } from '#schemas/topics/accounts';
import { channelTopics } from '#schemas/topics/channels';
import { collateralChangeTopic } from '#schemas/topics/collateral-changes';
import { type ClockMark, clockTopic } from '#schemas/topics/control';
import { followedBlockTopic } from '#schemas/topics/followed-blocks';
import { backfilledEventTopic, backfilledTradeTopic, positionMoveTopic } from '#schemas/topics/normalised';
import { disputeTopic } from '#schemas/topics/oracle';
import { type FeedEvent, feedTopics, rawTopic } from '#schemas/topics/raw';
import { EXCHANGES } from '#schemas/venues/venue-b/contracts';
import { expireInactiveChannels } from '../../../shared/channel-seqs.ts';
import { forgetOldParts } from '../../shared/acquired-parts.ts';
import { venueTopics } from '../../shared/venue-topics.ts';
import { onBalance, onPositions } from './account-responses.ts';
import { onAnswer } from './answers.ts';
import { liveness } from './book-status.ts';
import { onMarketFrame } from './frames.ts';
import { type ChainOptions, closeBlock, onChainRecord, onChainTime } from './on-chain.ts';
import { onHistoryRecord } from './on-history.ts';
import { createVenueBState, type VenueBState } from './state.ts';
import { invalidateFeed } from './token-books.ts';

export type { VenueBState } from './state.ts';

export interface VenueBStageOptions {
  /** Blocks above a trade that make it confirmed (PARALLAX_VENUE_B_CONFIRMATIONS). */
  readonly confirmations: number;
  /** Exchange contracts whose logs are trades; by default those of the venue page. */
  readonly exchanges?: readonly string[];
}

/** Creates the stage. It is pure: its outputs follow from its input records and these options. */
export function createVenueBStage(options: VenueBStageOptions): Stage<VenueBState> {
  const chain: ChainOptions = {
    confirmations: options.confirmations,
    exchanges: new Set((options.exchanges ?? Object.values(EXCHANGES)).map((exchange) => exchange.toLowerCase())),
  };
  return {
    name: 'normalise.venue_b',
    stateVersion: 14,
    // Trades and phases without a market are in two maps each. They are replaced, never changed, so it does not matter
    // that a snapshot restores them as two separate objects.
    slicedMaps: [
      'chain.blocks',
      'trades.known',
      'trades.unassigned',
      'trades.unassignedIds',
      'moves.known',
      'collateral.known',
      'backfilled.blockHashes',
      'backfilled.trades.known',
      'backfilled.trades.unassigned',
      'backfilled.trades.unassignedIds',
      'phases.known',
      'phases.unassigned',
      'phases.idsByName',
      'phases.prepared',
      'resolutions',
      'catalog.open',
      'catalog.closed',
      'catalog.closedLongAgo',
      'catalog.tokens',
      'catalog.gammaIds',
      'catalog.requestIds',
      'books',
      'acquiredParts',
      'liveness.instruments',
      'channelSeqs.active',
      'channelSeqs.inactive',
      'channelSeqs.due',
    ],
    inputs: [
      on(rawTopic('venue_b', 'rpc'), (state: VenueBState, record, emit) => onChainRecord(chain, state, record, emit)),
      on(rawTopic('venue_b', 'history'), (state: VenueBState, record, emit) =>
        onHistoryRecord(chain, state, record, emit),
      ),
      on(rawTopic('venue_b', 'clob_ws'), onMarketFrame),
      on(rawTopic('venue_b', 'gamma'), onAnswer),
      on(rawTopic('venue_b', 'clob'), onAnswer),
      on(rawTopic('venue_b', 'data'), onPositions),
      on(rawTopic('venue_b', 'call'), onBalance),
      on(feedTopics.venue_b, (state: VenueBState, record, emit) => onFeedEvent(chain, state, record, emit)),
      on(clockTopic, (state: VenueBState, record, emit) => onClock(chain, state, record, emit)),
    ],
    outputs: [
      ...venueTopics('venue_b'),
      backfilledTradeTopic,
      backfilledEventTopic,
      positionMoveTopic,
      collateralChangeTopic,
      followedBlockTopic,
      disputeTopic,
      venueBAcquisitionTopic,
      failedAcquisitionTopics.venue_b,
    ],
    initialState: createVenueBState,
  };
}

function onClock(chain: ChainOptions, state: VenueBState, record: StageRecord<ClockMark>, emit: Emit): void {
  onChainTime(chain, state, record.value.receivedAt, emit);
  liveness.tick(state.liveness, record.value.receivedAt, emit);
  forgetOldParts(state.acquiredParts, record.value.receivedAt);
  forgetChannels(state, record.value.receivedAt);
}

/** Forgets channels without recent events, except those of open markets, which may be quiet for a long time. */
function forgetChannels({ channelSeqs, catalog: { open, tokens } }: VenueBState, now: number): void {
  expireInactiveChannels(
    channelSeqs,
    channelTopics.venue_b,
    now,
    (channel) => channel.kind === 'raw' && open.has(tokens.get(channel.instrument)?.marketId ?? ''),
  );
}

function onFeedEvent(chain: ChainOptions, state: VenueBState, record: StageRecord<FeedEvent>, emit: Emit): void {
  const { kind, feed } = record.value;
  if (kind === 'ended') closeBlock(chain, state, { hash: null, receivedAt: record.receivedAt }, emit);
  if (kind === 'connected' || kind === 'disconnected' || kind === 'unreachable') invalidateFeed(state.books, feed);
  liveness.feedChanged(state.liveness, record.value, emit);
}
