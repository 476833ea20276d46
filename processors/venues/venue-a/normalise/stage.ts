/**
 * The normaliser of venue_a: turns raw records of the venue into trades, books, contexts, instruments, dexes, markets,
 * statuses, resolutions and raw channels.
 */

import { type Emit, on, type Stage, type StageRecord } from '#infra/stages/stage';
import { canonicalDecimal } from '#schemas/domain/decimal';
import { fillPageTopic, subscribedFillTopic } from '#schemas/topics/account-fills';
import { failedAcquisitionTopics, venueAAcquisitionTopic } from '#schemas/topics/accounts';
import { channelTopics } from '#schemas/topics/channels';
import { type ClockMark, clockTopic } from '#schemas/topics/control';
import { spotSampleTopic } from '#schemas/topics/daily';
import { contextTopics, perpDexTopic, statusTopics } from '#schemas/topics/normalised';
import { type FeedEvent, feedTopics, type RawEnvelope, rawTopic } from '#schemas/topics/raw';
import { findUnconfirmed } from '#schemas/venues/venue-a/missing-names';
import { expireInactiveChannels } from '../../../shared/channel-seqs.ts';
import { forgetOldParts } from '../../shared/acquired-parts.ts';
import { createLiveness } from '../../shared/liveness.ts';
import { rejectMalformed } from '../../shared/malformed.ts';
import { venueTopics } from '../../shared/venue-topics.ts';
import { processAnswer } from './answers.ts';
import { forgetOldRanges } from './bar-ranges.ts';
import { chooseAllNames } from './canonical-pairs.ts';
import { processFrame } from './frames.ts';
import { gapContext, isStoredOutcome } from './gap-context.ts';
import { emitDelisted, processTradesLeftOut } from './instruments.ts';
import { forgetClosed } from './outcomes.ts';
import { emitDelistedDexes } from './perp-dexes.ts';
import { forgetQuiet } from './seen-trades.ts';
import { emitSpotSamples } from './spot-contexts.ts';
import { createVenueAState, type VenueAState } from './state.ts';
import { connectionLost, endGaps, expireReplays, forgetUntraded } from './trade-gaps.ts';
import { recordingBegan } from './trade-starts.ts';

export interface VenueAOptions {
  /** Taker fee rate of outcome markets, as decimal text (`PARALLAX_VENUE_A_OUTCOME_TAKER_FEE`). */
  readonly outcomeTakerFeeRate: string;
}

/** For how long a closed outcome is stored, for trades and books that arrive late. */
const CLOSED_RETENTION_MS = 86_400_000;

/** Names of connections of the socket begin with it. */
const SOCKET = 'venue_a.ws';

const liveness = createLiveness(statusTopics.venue_a);

/** Creates the stage. Throws `DecimalError` for a fee rate that is no decimal. */
export function createVenueAStage(options: VenueAOptions): Stage<VenueAState> {
  const takerFeeRate = canonicalDecimal(options.outcomeTakerFeeRate);

  const onFrame = (state: VenueAState, record: StageRecord<RawEnvelope>, emit: Emit) => {
    const { key, value } = record;
    const { receivedAt } = value;
    // A frame that cannot be read also proves that the connection is alive.
    liveness.frameReceived(state.liveness, key, receivedAt, emit);
    try {
      processFrame({ state, record, feed: key, receivedAt, takerFeeRate, liveness, emit });
    } catch (error) {
      rejectMalformed(error, 'malformed_frame', emit);
    }
  };

  const onAnswer = (state: VenueAState, { key, value }: StageRecord<RawEnvelope>, emit: Emit) => {
    try {
      processAnswer(state, value, key, takerFeeRate, emit);
    } catch (error) {
      rejectMalformed(error, 'malformed_answer', emit);
    }
  };

  return {
    name: 'normalise.venue_a',
    stateVersion: 18,
    // Holds some hundred trades per coin; the other maps have one entry per listed coin or outcome.
    slicedMaps: ['seenTrades', 'acquiredParts'],
    inputs: [
      on(rawTopic('venue_a', 'ws'), onFrame),
      on(rawTopic('venue_a', 'info'), onAnswer),
      on(feedTopics.venue_a, onFeedEvent),
      on(clockTopic, onClock),
    ],
    outputs: [
      ...venueTopics('venue_a'),
      perpDexTopic,
      spotSampleTopic,
      fillPageTopic,
      subscribedFillTopic,
      venueAAcquisitionTopic,
      failedAcquisitionTopics.venue_a,
    ],
    initialState: createVenueAState,
  };
}

function onFeedEvent(state: VenueAState, { value }: StageRecord<FeedEvent>, emit: Emit): void {
  const { feed, kind, coins, receivedAt } = value;
  if (kind === 'trades_left_out') {
    processTradesLeftOut(state, coins, receivedAt, emit);
    return;
  }
  if (feed.startsWith(SOCKET)) socketChanged(state, value, emit);
  if (kind === 'connected' || kind === 'recorded') state.connectedAt.set(feed, receivedAt);
  // A silent socket may send again, and nothing was lost then.
  else if (kind !== 'silent') state.connectedAt.delete(feed);
  liveness.feedChanged(state.liveness, value, emit);
}

/** Notes what the change of a socket means for the trades that it carries. */
function socketChanged(state: VenueAState, { feed, kind, receivedAt }: FeedEvent, emit: Emit): void {
  const gaps = gapContext(state, receivedAt, emit);
  const lastFrameAt = liveness.lastFrameAt(state.liveness, feed);
  // What came last is the last sign of the old connection: it may have been silent before its end, and after a kill
  // nothing states its end. A socket that is new carried nothing.
  if (kind === 'disconnected' || kind === 'unreachable' || (kind === 'connected' && lastFrameAt !== null))
    connectionLost(gaps, feed, lastFrameAt ?? receivedAt);
  // A recording states a connection that it saw from its beginning at the same time as `connected`.
  if (kind === 'recorded' && state.connectedAt.get(feed) !== receivedAt) recordingBegan(gaps);
}

function onClock(state: VenueAState, { value }: StageRecord<ClockMark>, emit: Emit): void {
  const now = value.receivedAt;
  liveness.tick(state.liveness, now, emit);
  const { pairs, contracts, dexes } = state.missing;
  for (const missing of [pairs, contracts]) emitDelisted(state, findUnconfirmed(missing, now), now, emit);
  emitDelistedDexes(state, findUnconfirmed(dexes, now), now, emit);
  const gaps = gapContext(state, now, emit);
  forgetOldParts(state.acquiredParts, now);
  endGaps(gaps);
  expireReplays(gaps, (feed) => liveness.lastFrameAt(state.liveness, feed) ?? now);
  expireInactiveChannels(
    state.channelSeqs,
    channelTopics.venue_a,
    now,
    (channel) =>
      channel.kind !== 'raw' ||
      channel.instrument === '*' ||
      state.instruments.get(channel.instrument)?.delisted === false,
  );
  if (value.day) chooseAllNames(state, now, emit);
  if (value.hour) emitSpotSamples(state, now, emit);
  if (!value.day) return;
  forgetOldRanges(state.barRanges, now);
  for (const coin of forgetClosed(state.outcomes, now - CLOSED_RETENTION_MS)) forgetCoin(state, coin, emit);
  const isStored = (coin: string) => isStoredOutcome(state, coin);
  forgetQuiet(state.seenTrades, now, isStored);
  forgetUntraded(state.tradeSubscriptions, state.seenTrades, isStored);
}

function forgetCoin(state: VenueAState, coin: string, emit: Emit): void {
  state.bookTimes.delete(coin);
  state.allMids.delete(coin);
  state.withoutMid.delete(coin);
  state.accountMarkets.outcomeReports.delete(coin);
  if (state.contexts.delete(coin)) emit.remove(contextTopics.venue_a, coin);
  liveness.forget(state.liveness, coin, emit);
}
