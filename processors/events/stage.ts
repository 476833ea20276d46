/**
 * Universal events: which markets ask the same question. A market is read once when it is new or changed, and finds its
 * event by the key of its question, so a step costs the same with a hundred markets and with two hundred thousand.
 */
import { type Emit, on, onKeyed, type Stage, type StageEvent } from '#infra/stages/stage';
import { type ClockMark, clockTopic } from '#schemas/topics/control';
import { eventTopic, reconcileTopic } from '#schemas/topics/derived';
import { type Market, marketTopics } from '#schemas/topics/normalised';
import { addDeadline, takeDue } from './deadlines.ts';
import { toEventRecord } from './event-record.ts';
import { forgetEvent, place } from './membership.ts';
import { recogniseMarket } from './recognise/recognise.ts';
import {
  createEventsState,
  type EventEntry,
  type EventsState,
  marketFingerprint,
  marketKey,
  toMarketEntry,
} from './state.ts';
import { fingerprint } from './universal-id.ts';

/** An event whose markets are mentioned without any change is told again at most this often, for its `lastSeenAt`. */
const LAST_SEEN_EVERY_MS = 3_600_000;

/** An event is forgotten this long after its last market was told to be over. */
const RESOLVED_KEPT_MS = 90 * 86_400_000;

/** The stage `events`: catalogs in, universal events and the newest catalog pass out. */
export function createEventsStage(): Stage<EventsState> {
  return {
    name: 'events',
    inputs: [
      ...Object.values(marketTopics).map((topic) => onKeyed<EventsState, Market>(topic, onMarket)),
      on<EventsState, ClockMark>(clockTopic, onClock),
    ],
    outputs: [eventTopic, reconcileTopic],
    initialState: createEventsState,
  };
}

function onMarket(state: EventsState, { value: market, receivedAt }: StageEvent<Market | null>, emit: Emit): void {
  // A market that is over is told as such; no catalog takes one back.
  if (!market) {
    emit.dead('market_removed', 'the catalog removes no markets');
    return;
  }
  const print = marketFingerprint(market);
  const known = state.markets.get(marketKey(market.provider, market.marketId));
  if (known?.fingerprint === print) {
    state.pass ??= new Set();
    mention(state, state.events.get(known.eventId)!, receivedAt, emit);
    return;
  }
  const entry = toMarketEntry(market, recogniseMarket(market), print);
  state.pass ??= new Set();
  state.pass.add(entry.key);
  for (const event of place(state, entry, receivedAt)) {
    if (event.mergedInto === null) event.lastSeenAt = receivedAt;
    tell(state, event, receivedAt, emit);
  }
}

function mention(state: EventsState, event: EventEntry, receivedAt: number, emit: Emit): void {
  if (receivedAt - event.lastSeenAt < LAST_SEEN_EVERY_MS) return;
  event.lastSeenAt = receivedAt;
  emit(eventTopic, event.universalId, toEventRecord(state, event, receivedAt));
}

function onClock(state: EventsState, { value, receivedAt }: StageEvent<ClockMark>, emit: Emit): void {
  state.now = receivedAt;
  for (let due = takeDue(state.deadlines, receivedAt); due !== null; due = takeDue(state.deadlines, receivedAt)) {
    const event = state.events.get(due.universalId);
    if (event?.mergedInto === null) tell(state, event, receivedAt, emit);
  }
  if (value.day) forgetResolved(state, receivedAt - RESOLVED_KEPT_MS);
  if (state.pass === null) return;
  emit(reconcileTopic, 'latest', { receivedAt, ingested: state.pass.size });
  state.pass = null;
}

function forgetResolved(state: EventsState, before: number): void {
  for (const event of state.events.values()) {
    if (event.resolvedAt !== null && event.resolvedAt < before) forgetEvent(state, event);
  }
}

/** Tells an event if anything but its times changed, and waits for its deadline. */
function tell(state: EventsState, event: EventEntry, receivedAt: number, emit: Emit): void {
  const record = toEventRecord(state, event, receivedAt);
  const print = fingerprint(JSON.stringify({ ...record, receivedAt: 0, lastSeenAt: 0 }));
  const { resolutionTime, universalId } = record;
  if (record.mergedInto === null && record.status === 'resolved') event.resolvedAt ??= receivedAt;
  else event.resolvedAt = null;
  if (
    record.mergedInto === null &&
    resolutionTime !== null &&
    resolutionTime !== event.deadline &&
    resolutionTime > state.now
  ) {
    event.deadline = resolutionTime;
    addDeadline(state.deadlines, { atMs: resolutionTime, universalId });
  }
  if (print === event.told) return;
  event.told = print;
  emit(eventTopic, universalId, record);
}
