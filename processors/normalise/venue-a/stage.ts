/**
 * The normaliser of venue_a: from what the venue said to trades, books, figures, coins, markets, their
 * resolutions and raw channels.
 */
import { type Emit, on, type Stage, type StageEvent } from '#infra/stages/stage';
import { canonicalDecimal } from '#schemas/domain/decimal';
import { channelTopics } from '#schemas/topics/channels';
import { type ClockMark, clockTopic } from '#schemas/topics/control';
import {
  bookTopics,
  contextTopics,
  instrumentTopics,
  marketTopics,
  statusTopics,
  tradeTopics,
} from '#schemas/topics/normalised';
import { resolutionTopics } from '#schemas/topics/oracle';
import { type FeedEvent, feedTopics, type RawEnvelope, rawTopic } from '#schemas/topics/raw';
import { forgetSilentChannels } from '../../shared/channel-seqs.ts';
import { createLiveness } from '../shared/liveness.ts';
import { takeAnswer } from './answers.ts';
import { takeFrame } from './frames.ts';
import { FieldError, MalformedError } from './malformed-error.ts';
import { forgetClosed } from './outcomes.ts';
import { forgetQuiet } from './seen-trades.ts';
import { createVenueAState, type VenueAState } from './state.ts';

export interface VenueAOptions {
  /** Taker fee rate of outcome markets, as decimal text (`PARALLAX_VENUE_A_OUTCOME_TAKER_FEE`). */
  readonly outcomeTakerFeeRate: string;
}

/** How long an outcome that is over is remembered, for trades and books told late. */
const KEEP_CLOSED_MS = 86_400_000;

const liveness = createLiveness(statusTopics.venue_a);

/** Throws `DecimalError` for a fee rate that is no decimal. */
export function createVenueAStage(options: VenueAOptions): Stage<VenueAState> {
  const takerFeeRate = canonicalDecimal(options.outcomeTakerFeeRate);

  const onFrame = (state: VenueAState, record: StageEvent<RawEnvelope>, emit: Emit) => {
    const { key, value } = record;
    const { receivedAt } = value;
    // Also a frame that cannot be read shows that the connection is alive.
    liveness.heard(state.liveness, key, receivedAt, emit);
    refuseMalformed('malformed_frame', emit, () =>
      takeFrame({ state, record, feed: key, receivedAt, takerFeeRate, liveness, emit }),
    );
  };

  const onAnswer = (state: VenueAState, { key, value }: StageEvent<RawEnvelope>, emit: Emit) =>
    refuseMalformed('malformed_answer', emit, () => takeAnswer(state, value, key, takerFeeRate, emit));

  return {
    name: 'normalise.venue_a',
    stateVersion: 5,
    // Of each coin some hundred trades; the other maps have an entry for each coin or outcome that is listed.
    slicedMaps: ['seenTrades'],
    inputs: [
      on(rawTopic('venue_a', 'ws'), onFrame),
      on(rawTopic('venue_a', 'info'), onAnswer),
      on(feedTopics.venue_a, onFeedEvent),
      on(clockTopic, onClock),
    ],
    outputs: [
      tradeTopics.venue_a,
      bookTopics.venue_a,
      contextTopics.venue_a,
      instrumentTopics.venue_a,
      marketTopics.venue_a,
      statusTopics.venue_a,
      channelTopics.venue_a,
      resolutionTopics.venue_a,
    ],
    initialState: createVenueAState,
  };
}

function onFeedEvent(state: VenueAState, { value }: StageEvent<FeedEvent>, emit: Emit): void {
  const { feed, kind, receivedAt } = value;
  if (kind === 'connected' || kind === 'recorded') state.connectedAt.set(feed, receivedAt);
  // A socket that was silent may speak again, and nothing was lost then.
  else if (kind !== 'silent') state.connectedAt.delete(feed);
  liveness.feedChanged(state.liveness, value, emit);
}

function onClock(state: VenueAState, { value }: StageEvent<ClockMark>, emit: Emit): void {
  const now = value.receivedAt;
  liveness.tick(state.liveness, now, emit);
  forgetSilentChannels(
    state.channelSeqs,
    channelTopics.venue_a,
    now,
    (channel) => channel.kind !== 'raw-coin' || state.instruments.get(channel.coin)?.delisted === false,
  );
  if (!value.day) return;
  forgetQuiet(state.seenTrades, now);
  for (const coin of forgetClosed(state.outcomes, now - KEEP_CLOSED_MS)) forgetCoin(state, coin, emit);
}

function forgetCoin(state: VenueAState, coin: string, emit: Emit): void {
  state.bookTimes.delete(coin);
  state.allMids.delete(coin);
  if (state.contexts.delete(coin)) emit.remove(contextTopics.venue_a, coin);
  liveness.forget(state.liveness, coin, emit);
}

/** What the venue said against its own protocol becomes a dead letter; a fault of ours stays an exception. */
function refuseMalformed(reason: MalformedError['code'], emit: Emit, take: () => void): void {
  try {
    take();
  } catch (error) {
    if (error instanceof MalformedError) emit.dead(error.code, error.message);
    else if (error instanceof FieldError) emit.dead(reason, error.message);
    else throw error;
  }
}
