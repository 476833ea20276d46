/**
 * Detects anomalies: for each market it compares minutes of event time with the day before them, and settlements with
 * the month before. The first record after the end of a minute closes it, be it a clock tick or another record, so
 * nothing depends on how the input is split into batches. Every bucket joins the baseline of later ones, an unusual one
 * too: a permanent change of a market is emitted once and then becomes its baseline.
 */
import { type Emit, on, onKeyed, type Stage, type StageRecord } from '#infra/stages/stage';
import { parseLevels } from '#schemas/domain/book';
import { type Decimal, parseDecimal, ZERO } from '#schemas/domain/decimal';
import { isQuestionInstrument, VENUES, type Venue } from '#schemas/domain/providers';
import { anomalyTopic } from '#schemas/topics/anomalies';
import { type ClockMark, clockTopic } from '#schemas/topics/control';
import { eventTopic, type UniversalEvent } from '#schemas/topics/derived';
import {
  type BookUpdate,
  bookTopics,
  type MarketStatus,
  statusTopics,
  type Trade,
  tradeTopics,
} from '#schemas/topics/normalised';
import { type Resolution, resolutionTopics } from '#schemas/topics/oracle';
import { removeWaiting } from '../shared/waiting.ts';
import { applyBookFrame, closeBooks, isBookIgnored } from './books.ts';
import type { EpisodeContext } from './emit-anomaly.ts';
import { dropBook, dropOldBuckets, markBookLost, placeMarkets, removeArchived } from './markets.ts';
import { evaluateDelay } from './settlement-delays.ts';
import { type AnomaliesState, createAnomaliesState, MINUTE_MS, TRADE_GRACE_MS } from './state.ts';
import { applyTrade, closeTrades } from './trades.ts';

export interface AnomaliesOptions {
  /** Least score for which an anomaly is emitted, decimal text above zero. */
  readonly anomalyZ: string;
}

/** Creates the stage `anomalies`. Throws for a score that is not above zero. */
export function createAnomaliesStage({ anomalyZ }: AnomaliesOptions): Stage<AnomaliesState> {
  const bound = parseDecimal(anomalyZ);
  if (bound <= ZERO) throw new RangeError(`anomalyZ must be above zero: ${anomalyZ}`);
  const handling = <T>(read: Read<T>) => closingMinutesFirst(bound, read);
  return {
    name: 'anomalies',
    stateVersion: 3,
    inputs: [
      onKeyed<AnomaliesState, UniversalEvent>(eventTopic, handling(readEvent)),
      ...VENUES.map((venue) =>
        on<AnomaliesState, BookUpdate>(bookTopics[venue], handling(ofQuestions(venue, readBook))),
      ),
      ...Object.values(statusTopics).map((topic) => onKeyed<AnomaliesState, MarketStatus>(topic, handling(readStatus))),
      ...VENUES.map((venue) => on<AnomaliesState, Trade>(tradeTopics[venue], handling(ofQuestions(venue, readTrade)))),
      ...Object.values(resolutionTopics).map((topic) =>
        on<AnomaliesState, Resolution>(topic, handling(readResolution)),
      ),
      on<AnomaliesState, ClockMark>(clockTopic, handling(readClock)),
    ],
    outputs: [anomalyTopic],
    slicedMaps: ['markets', 'yesOf', 'noSides', 'waitingBooks', 'minutes', 'pending', 'waitingResolutions'],
    initialState: createAnomaliesState,
  };
}

/** Applies a record after everything in it that can be invalid has been parsed; it does not throw. */
type Step = (state: AnomaliesState, context: EpisodeContext) => void;
type Read<T> = (record: StageRecord<T>, state: AnomaliesState) => Step;

/** Parses a record, closes the minutes that ended before its time, and only then applies it. */
function closingMinutesFirst<T>(bound: Decimal, read: Read<T>) {
  return (state: AnomaliesState, record: StageRecord<T>, emit: Emit): void => {
    const step = read(record, state);
    const { receivedAt } = record;
    const context: EpisodeContext = { bound, receivedAt, emit };
    const bookMinute = Math.floor(receivedAt / MINUTE_MS);
    if (bookMinute > state.bookMinute) closeBooks(state, bookMinute, context);
    const tradesFrom = Math.floor((receivedAt - TRADE_GRACE_MS) / MINUTE_MS);
    if (tradesFrom > state.tradesFrom) closeTrades(state, tradesFrom, context);
    step(state, context);
  };
}

const NOTHING: Step = () => {};

/** Skips records whose instrument belongs to no question. */
function ofQuestions<T>(venue: Venue, read: Read<T>): Read<T> {
  return (record, state) => (isQuestionInstrument[venue](record.key) ? read(record, state) : NOTHING);
}

function readEvent({ value }: StageRecord<UniversalEvent | null>): Step {
  if (value === null) return NOTHING;
  return (state, context) => {
    const markets = placeMarkets(state, value, context.receivedAt);
    for (const resolution of removeWaiting(state.waitingResolutions, markets))
      evaluateDelay(state, resolution, context);
  };
}

function readBook(record: StageRecord<BookUpdate>, state: AnomaliesState): Step {
  if (isBookIgnored(state, record.key)) return NOTHING;
  const { instrument, snapshot, bids, asks } = record.value;
  const change = { snapshot, bids: parseLevels(bids), asks: parseLevels(asks) };
  return (state) => applyBookFrame(state, instrument, change);
}

/** Only an end and a loss matter: a silent feed has no frames, and its first frame after a loss is a snapshot. */
function readStatus({ key, value }: StageRecord<MarketStatus | null>): Step {
  if (value === null) return (state) => dropBook(state, key);
  const isLost = value.state === 'recovering' || value.state === 'venue_down';
  return isLost ? (state) => markBookLost(state, key) : NOTHING;
}

function readTrade({ value }: StageRecord<Trade>): Step {
  const qty = parseDecimal(value.qty);
  return (state) => applyTrade(state, value, qty);
}

function readResolution({ value }: StageRecord<Resolution>): Step {
  return (state, context) => evaluateDelay(state, value, context);
}

function readClock({ value, receivedAt }: StageRecord<ClockMark>): Step {
  if (!value.hour) return NOTHING;
  return (state) => {
    dropOldBuckets(state, Math.floor(receivedAt / MINUTE_MS));
    if (value.day) removeArchived(state, receivedAt);
  };
}
