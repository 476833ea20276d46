/**
 * Derives the status of each instrument: whether its prices are live. A quiet market and a dead connection look the
 * same from the book alone, so the status follows from the connection that carries the book: any frame on it proves
 * that it is alive. A change of a connection updates the instruments on it, a frame only a time, and a tick checks
 * connections.
 */
import type { Emit } from '#infra/stages/stage';
import type { MarketStatus } from '#schemas/topics/normalised';
import type { FeedEvent } from '#schemas/topics/raw';
import type { Topic } from '#schemas/topics/topic';

/** A connection without any sign of life for this long is stale (contract, "Markets, matching, arbitrage"). */
export const STALE_AFTER_MS = 30_000;

interface FeedState {
  /** Receive time of the newest frame, unix ms. */
  lastFrameAt: number;
  /** `lost` until a `connected` event; `down` when reconnecting keeps failing. */
  connection: 'open' | 'lost' | 'down';
  stale: boolean;
  /** Played back from a recording, where silence means nothing; remains true after its end. */
  recorded: boolean;
  /** Instruments whose books it carries. */
  readonly instruments: Set<string>;
}

interface InstrumentState {
  status: MarketStatus;
  /** The connection was lost since its last snapshot, so that changes may have been missed. */
  awaitsSnapshot: boolean;
}

/** Part of a normaliser's state. */
export interface LivenessState {
  readonly feeds: Map<string, FeedState>;
  readonly instruments: Map<string, InstrumentState>;
}

export function createLivenessState(): LivenessState {
  return { feeds: new Map(), instruments: new Map() };
}

/** The instrument of a received book, and the connection that carried it. */
export interface BookSource {
  /** Fine-grained provider. */
  readonly provider: string;
  readonly instrument: string;
  /** Null while the catalog does not list it. */
  readonly marketId: string | null;
  readonly feed: string;
}

/** Updates from a normaliser. Each emits a `MarketStatus` for every instrument whose status changed. */
export interface Liveness {
  /** Notes a raw frame of the feed, whatever its content. Call it first for every frame. */
  frameReceived(state: LivenessState, feed: string, receivedAt: number, emit: Emit): void;
  /** Notes a complete book from a socket, which makes the instrument live again after a lost connection. */
  bookReceived(state: LivenessState, source: BookSource, receivedAt: number, emit: Emit): void;
  /** Notes changes that have no complete book to apply to: the instrument awaits a snapshot. */
  bookMissed(state: LivenessState, source: BookSource, receivedAt: number, emit: Emit): void;
  /** Applies an event of a connection, as ingest observed it. */
  feedChanged(state: LivenessState, event: FeedEvent, emit: Emit): void;
  /** Handles a clock mark: connections without a frame for `STALE_AFTER_MS` become stale. */
  tick(state: LivenessState, now: number, emit: Emit): void;
  /** Receive time of the newest frame of a connection, or when it was opened, if that is later; null if it is unknown. */
  lastFrameAt(state: LivenessState, feed: string): number | null;
  /** Removes the status of an instrument that no longer exists, for example because its market ended. */
  forget(state: LivenessState, instrument: string, emit: Emit): void;
}

/** @param topic `statusTopics` of the venue. */
export function createLiveness(topic: Topic<MarketStatus>): Liveness {
  const update = (life: InstrumentState, source: BookSource, feed: FeedState, receivedAt: number, emit: Emit) => {
    const before = life.status;
    const state = evaluateState(feed, life.awaitsSnapshot);
    if (state === before.state && isSameSource(source, before)) return;
    const { provider, instrument, marketId } = source;
    const since = state === before.state ? before.since : receivedAt;
    life.status = { provider, instrument, marketId, feed: source.feed, state, receivedAt, since };
    emit(topic, instrument, life.status);
  };

  const updateAll = (state: LivenessState, feed: FeedState, receivedAt: number, emit: Emit) => {
    for (const instrument of feed.instruments) {
      const life = state.instruments.get(instrument)!;
      update(life, life.status, feed, receivedAt, emit);
    }
  };

  const add = (
    state: LivenessState,
    source: BookSource,
    feed: FeedState,
    awaitsSnapshot: boolean,
    receivedAt: number,
    emit: Emit,
  ) => {
    const { provider, instrument, marketId } = source;
    const initialState = evaluateState(feed, awaitsSnapshot);
    const status: MarketStatus = {
      provider,
      instrument,
      marketId,
      feed: source.feed,
      state: initialState,
      receivedAt,
      since: receivedAt,
    };
    feed.instruments.add(instrument);
    state.instruments.set(instrument, { status, awaitsSnapshot });
    emit(topic, instrument, status);
  };

  return {
    frameReceived(state, name, receivedAt, emit) {
      const feed = feedOf(state, name, receivedAt);
      feed.lastFrameAt = receivedAt;
      if (!feed.stale) return;
      // The same socket sends again, so nothing was lost in between.
      feed.stale = false;
      updateAll(state, feed, receivedAt, emit);
    },

    bookReceived(state, source, receivedAt, emit) {
      const feed = feedOf(state, source.feed, receivedAt);
      const life = state.instruments.get(source.instrument);
      if (!life) return add(state, source, feed, false, receivedAt, emit);
      if (life.status.feed !== source.feed) {
        state.feeds.get(life.status.feed)?.instruments.delete(source.instrument);
        feed.instruments.add(source.instrument);
      }
      // A frame of a lost connection is from before the loss (their times are equal), so its book is not new.
      if (feed.connection === 'open') life.awaitsSnapshot = false;
      update(life, source, feed, receivedAt, emit);
    },

    bookMissed(state, source, receivedAt, emit) {
      const life = state.instruments.get(source.instrument);
      if (!life) return add(state, source, feedOf(state, source.feed, receivedAt), true, receivedAt, emit);
      life.awaitsSnapshot = true;
      update(life, life.status, feedOf(state, life.status.feed, receivedAt), receivedAt, emit);
    },

    feedChanged(state, event, emit) {
      const { receivedAt } = event;
      const feed = feedOf(state, event.feed, receivedAt);
      if (!applyFeedEvent(feed, event)) return;
      if (feed.connection !== 'open' || event.kind === 'connected') {
        for (const instrument of feed.instruments) state.instruments.get(instrument)!.awaitsSnapshot = true;
      }
      updateAll(state, feed, receivedAt, emit);
    },

    tick(state, now, emit) {
      for (const feed of state.feeds.values()) {
        if (feed.stale || feed.recorded || now - feed.lastFrameAt < STALE_AFTER_MS) continue;
        feed.stale = true;
        updateAll(state, feed, now, emit);
      }
    },

    lastFrameAt: (state, feed) => state.feeds.get(feed)?.lastFrameAt ?? null,

    forget(state, instrument, emit) {
      const life = state.instruments.get(instrument);
      if (!life) return;
      state.feeds.get(life.status.feed)?.instruments.delete(instrument);
      state.instruments.delete(instrument);
      emit.remove(topic, instrument);
    },
  };
}

function feedOf(state: LivenessState, name: string, receivedAt: number): FeedState {
  let feed = state.feeds.get(name);
  if (!feed) {
    feed = { lastFrameAt: receivedAt, connection: 'open', stale: false, recorded: false, instruments: new Set() };
    state.feeds.set(name, feed);
  }
  return feed;
}

function evaluateState(feed: FeedState, awaitsSnapshot: boolean): MarketStatus['state'] {
  if (feed.connection === 'down') return 'venue_down';
  if (feed.stale) return 'stale';
  return awaitsSnapshot || feed.connection === 'lost' ? 'recovering' : 'live';
}

/** Returns false when the event does not concern the instruments. */
function applyFeedEvent(feed: FeedState, event: FeedEvent): boolean {
  switch (event.kind) {
    case 'connected':
      feed.connection = 'open';
      feed.stale = false;
      feed.recorded = false;
      feed.lastFrameAt = event.receivedAt;
      return true;
    case 'disconnected':
      // While reconnecting keeps failing, a `disconnected` event does not improve the state.
      if (feed.connection === 'open') feed.connection = 'lost';
      // Also of a recording: nothing is received on a connection that is lost.
      feed.recorded = false;
      return true;
    case 'silent':
      if (feed.recorded) return false;
      feed.stale = true;
      return true;
    case 'unreachable':
      feed.connection = 'down';
      return true;
    case 'recorded':
    case 'ended':
      feed.recorded = true;
      feed.connection = 'open';
      feed.stale = false;
      return true;
    default:
      return false;
  }
}

function isSameSource(a: BookSource, b: BookSource): boolean {
  return a.feed === b.feed && a.marketId === b.marketId && a.provider === b.provider;
}
