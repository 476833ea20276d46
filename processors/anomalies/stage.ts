/**
 * Anomalies: per market, minutes of event time against the day before them, and settlements against the month before.
 * Whatever is received first behind the end of a minute closes it, be it the clock's tick or anything else, so nothing
 * depends on how the input is cut into batches. Every bucket joins the baseline of those after it, an unusual one too: a
 * market that has changed for good is told of once and then is what it is.
 */
import { type Emit, on, onKeyed, type Stage, type StageEvent } from '#infra/stages/stage';
import { parseLevels } from '#schemas/domain/book';
import { type Decimal, parseDecimal, ZERO } from '#schemas/domain/decimal';
import { VENUES, type Venue } from '#schemas/domain/providers';
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
import { isOfQuestion } from '#schemas/venues/question-instruments';
import { removeWaiting } from '../shared/waiting.ts';
import { applyBookFrame, closeBooks } from './books.ts';
import type { EvaluationContext } from './emit-anomaly.ts';
import { dropBook, dropOldBuckets, forgetArchived, markBookLost, placeMarkets } from './markets.ts';
import { evaluateDelay } from './settlement-delays.ts';
import { type AnomaliesState, createAnomaliesState, MINUTE_MS, TRADE_GRACE_MS } from './state.ts';
import { applyTrade, closeTrades } from './trades.ts';

export interface AnomaliesOptions {
  /** The score from which on a bucket is told of, decimal text above zero. */
  readonly anomalyZ: string;
}

/** The stage `anomalies`. Throws for a score that is not above zero. */
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

/** What an event does once all in it that can be bad has been read; it does not throw. */
type Step = (state: AnomaliesState, judging: EvaluationContext) => void;
type Read<T> = (event: StageEvent<T>) => Step;

/** Reads an event, closes the minutes that are over by its time, and only then takes it. */
function closingMinutesFirst<T>(bound: Decimal, read: Read<T>) {
  return (state: AnomaliesState, event: StageEvent<T>, emit: Emit): void => {
    const step = read(event);
    const { receivedAt } = event;
    const context: EvaluationContext = { bound, receivedAt, emit };
    const bookMinute = Math.floor(receivedAt / MINUTE_MS);
    if (bookMinute > state.bookMinute) closeBooks(state, bookMinute, context);
    const tradesFrom = Math.floor((receivedAt - TRADE_GRACE_MS) / MINUTE_MS);
    if (tradesFrom > state.tradesFrom) closeTrades(state, tradesFrom, context);
    step(state, context);
  };
}

const NOTHING: Step = () => {};

/** Passes over what is keyed by an instrument of no question. */
function ofQuestions<T>(venue: Venue, read: Read<T>): Read<T> {
  return (event) => (isOfQuestion[venue](event.key) ? read(event) : NOTHING);
}

function readEvent({ value }: StageEvent<UniversalEvent | null>): Step {
  if (value === null) return NOTHING;
  return (state, judging) => {
    const markets = placeMarkets(state, value, judging.receivedAt);
    for (const resolution of removeWaiting(state.waitingResolutions, markets))
      evaluateDelay(state, resolution, judging);
  };
}

function readBook({ value }: StageEvent<BookUpdate>): Step {
  const { instrument, snapshot } = value;
  const change = { snapshot, bids: parseLevels(value.bids), asks: parseLevels(value.asks) };
  return (state) => applyBookFrame(state, instrument, change);
}

/** A silent feed tells no frames, and after a loss its first one is whole: an end and a loss matter here. */
function readStatus({ key, value }: StageEvent<MarketStatus | null>): Step {
  if (value === null) return (state) => dropBook(state, key);
  const isLost = value.state === 'recovering' || value.state === 'venue_down';
  return isLost ? (state) => markBookLost(state, key) : NOTHING;
}

function readTrade({ value }: StageEvent<Trade>): Step {
  const qty = parseDecimal(value.qty);
  return (state) => applyTrade(state, value, qty);
}

function readResolution({ value }: StageEvent<Resolution>): Step {
  return (state, judging) => evaluateDelay(state, value, judging);
}

function readClock({ value, receivedAt }: StageEvent<ClockMark>): Step {
  if (!value.hour) return NOTHING;
  return (state) => {
    dropOldBuckets(state, Math.floor(receivedAt / MINUTE_MS));
    if (value.day) forgetArchived(state, receivedAt);
  };
}
