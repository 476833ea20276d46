/**
 * Groups markets that ask the same question into universal events. A market is parsed once when it is new or changed,
 * and finds its event by the key of its question, so a step costs the same with a hundred markets and with two hundred
 * thousand.
 */
import { type Emit, on, onKeyed, type Stage, type StageRecord } from '#infra/stages/stage';
import { archiveCutoff, isArchived } from '#schemas/domain/archived-events';
import { marketKey } from '#schemas/domain/providers';
import { type ClockMark, clockTopic } from '#schemas/topics/control';
import { eventTopic, reconcileTopic } from '#schemas/topics/derived';
import { type Market, marketTopics } from '#schemas/topics/normalised';
import { type Resolution, resolutionTopics } from '#schemas/topics/oracle';
import { addWaiting, removeWaiting } from '../shared/waiting.ts';
import { addDeadline, type Deadline, dropOutdated, popDue } from './deadlines.ts';
import { toEventRecord } from './event-record.ts';
import { type MarketEntry, marketFingerprint, toMarketEntry, updateClosedAt } from './market-entry.ts';
import { placeMarket, removeEvent, splitFromClosed } from './membership.ts';
import { recogniseMarket } from './recognise/recognise.ts';
import { createEventsState, type EventEntry, type EventsState } from './state.ts';
import { fingerprint } from './universal-id.ts';

/** Creates the stage `events`: catalogs and resolutions in, universal events and the newest catalog pass out. */
export function createEventsStage(): Stage<EventsState> {
  return {
    name: 'events',
    stateVersion: 8,
    // Entries of these maps refer to each other only by id.
    slicedMaps: ['markets', 'events', 'eventsByKey', 'waiting'],
    inputs: [
      ...Object.values(marketTopics).map((topic) => onKeyed<EventsState, Market>(topic, onMarket)),
      ...Object.values(resolutionTopics).map((topic) => on<EventsState, Resolution>(topic, onResolution)),
      on<EventsState, ClockMark>(clockTopic, onClock),
    ],
    outputs: [eventTopic, reconcileTopic],
    initialState: createEventsState,
  };
}

function onMarket(state: EventsState, { value: market, receivedAt }: StageRecord<Market | null>, emit: Emit): void {
  // A market that ends is recorded as closed; no catalog removes one.
  if (!market) {
    emit.deadLetter('market_removed', 'the catalog removes no markets');
    return;
  }
  const print = marketFingerprint(market);
  const known = state.markets.get(marketKey(market.provider, market.marketId));
  if (known?.fingerprint === print) return;
  const entry = toMarketEntry(market, recogniseMarket(market), print);
  if (known) {
    entry.settledBy = known.settledBy;
    entry.closedAt = known.closedAt;
  } else for (const resolution of removeWaiting(state.waiting, [entry.key])) applyResolution(entry, resolution);
  // A new market that is already closed counts as closed since its end, so that a catalog's past is archived soon.
  updateClosedAt(entry, known ? receivedAt : Math.min(receivedAt, entry.resolutionTime ?? receivedAt));
  state.changedInPass ??= new Set();
  state.changedInPass.add(entry.key);
  const changed = placeMarket(state, entry, receivedAt);
  state.events.get(entry.eventId)!.lastSeenAt = receivedAt;
  for (const event of changed) emitWithSplit(state, event, receivedAt, emit);
}

/** Marks the market as settled by a resolution, and undoes that when the resolution is reverted. */
function onResolution(state: EventsState, { value, receivedAt }: StageRecord<Resolution>, emit: Emit): void {
  const key = marketKey(value.provider, value.marketId);
  const market = state.markets.get(key);
  if (!market) {
    addWaiting(state.waiting, key, { id: value.id, status: value.status });
    return;
  }
  applyResolution(market, value);
  updateClosedAt(market, receivedAt);
  emitWithSplit(state, state.events.get(market.eventId)!, receivedAt, emit);
}

function applyResolution(market: MarketEntry, { id, status }: Pick<Resolution, 'id' | 'status'>): void {
  if (status !== 'reverted') market.settledBy = id;
  else if (market.settledBy === id) market.settledBy = null;
}

function onClock(state: EventsState, { value, receivedAt }: StageRecord<ClockMark>, emit: Emit): void {
  state.now = receivedAt;
  for (let due = popDue(state.deadlines, receivedAt); due !== null; due = popDue(state.deadlines, receivedAt)) {
    const event = state.events.get(due.universalId);
    if (event?.mergedInto === null) emitWithSplit(state, event, receivedAt, emit);
  }
  // Hourly, because a catalog's whole past may arrive between two midnights.
  if (value.hour || value.day) archiveEvents(state, receivedAt, emit);
  if (state.changedInPass === null) return;
  emit(reconcileTopic, 'latest', { receivedAt, ingested: state.changedInPass.size });
  state.changedInPass = null;
}

/** Removes archived events from state and topic; only the tables contain them (`schemas/domain/archived-events.ts`). */
function archiveEvents(state: EventsState, now: number, emit: Emit): void {
  const before = archiveCutoff(now);
  for (const event of state.events.values()) {
    if (!isArchived(event, before)) continue;
    for (const universalId of [event.universalId, ...event.absorbed]) emit.remove(eventTopic, universalId);
    removeEvent(state, event);
  }
  const isCurrent = ({ universalId, atMs }: Deadline) => state.events.get(universalId)?.deadline === atMs;
  dropOutdated(state.deadlines, state.events.size, isCurrent);
}

/** Emits an event and, if markets leave it because it is closed, the event that they move to. */
function emitWithSplit(state: EventsState, event: EventEntry, receivedAt: number, emit: Emit): void {
  for (const one of splitFromClosed(state, event, receivedAt)) emitIfChanged(state, one, receivedAt, emit);
}

/**
 * Emits an event if anything but the record's own time changed, and schedules its deadline. A changed `lastSeenAt`
 * counts: it changes only with a new or changed market, so this adds at most one event record for each market record.
 */
function emitIfChanged(state: EventsState, event: EventEntry, receivedAt: number, emit: Emit): void {
  const record = toEventRecord(state, event, receivedAt);
  const print = fingerprint(JSON.stringify({ ...record, receivedAt: 0 }));
  const { resolutionTime, universalId } = record;
  event.overAt = record.overAt;
  if (
    record.mergedInto === null &&
    resolutionTime !== null &&
    resolutionTime !== event.deadline &&
    resolutionTime > state.now
  ) {
    event.deadline = resolutionTime;
    addDeadline(state.deadlines, { atMs: resolutionTime, universalId });
  }
  if (print === event.emittedFingerprint) return;
  event.emittedFingerprint = print;
  emit(eventTopic, universalId, record);
}
