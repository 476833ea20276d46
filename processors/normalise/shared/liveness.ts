/**
 * Whether what is shown of a market is live. A quiet market and a dead connection look the same from the book alone, so
 * the judgement is made from the connection that carries the book: any frame on it is a sign of life. A change of a
 * connection touches the instruments on it, a frame touches nothing but a time, and a tick looks at connections only.
 */
import type { Emit } from '#infra/stages/stage';
import type { MarketStatus } from '#schemas/topics/normalised';
import type { FeedEvent } from '#schemas/topics/raw';
import type { Topic } from '#schemas/topics/topic';

/** A connection without any sign of life for this long is stale (contract, "Markets, matching, arbitrage"). */
export const STALE_AFTER_MS = 30_000;

interface FeedLife {
  /** When it was last heard, unix ms. */
  heardAt: number;
  /** `lost` until it is told to be connected again; `down` when reconnecting keeps failing. */
  link: 'open' | 'lost' | 'down';
  stale: boolean;
  /** Played from a recording, where silence means nothing; still so after its end. */
  recorded: boolean;
  /** Instruments whose books it carries. */
  readonly instruments: Set<string>;
}

interface InstrumentLife {
  status: MarketStatus;
  /** The connection was lost since its last snapshot, so that changes may have been missed. */
  awaitsSnapshot: boolean;
}

/** Part of a normaliser's state. */
export interface LivenessState {
  readonly feeds: Map<string, FeedLife>;
  readonly instruments: Map<string, InstrumentLife>;
}

export function createLivenessState(): LivenessState {
  return { feeds: new Map(), instruments: new Map() };
}

/** Whose book was received, and over which connection. */
export interface BookSource {
  /** Fine-grained provider. */
  readonly provider: string;
  readonly instrument: string;
  /** Null while the catalog does not know it. */
  readonly marketId: string | null;
  readonly feed: string;
}

/** What a normaliser tells the liveness of its venue. Each writes a `MarketStatus` per instrument whose status changed. */
export interface Liveness {
  /** A raw frame came over the feed, whatever it says. Call it first for every frame. */
  heard(state: LivenessState, feed: string, receivedAt: number, emit: Emit): void;
  /** A whole book of the instrument came over a socket: what makes it live again after a lost connection. */
  bookReceived(state: LivenessState, source: BookSource, receivedAt: number, emit: Emit): void;
  /** Changes of the instrument came that no whole book is there for: it awaits a snapshot. */
  bookMissed(state: LivenessState, source: BookSource, receivedAt: number, emit: Emit): void;
  /** Ingest observed something of a connection. */
  feedChanged(state: LivenessState, event: FeedEvent, emit: Emit): void;
  /** A clock mark: connections not heard for `STALE_AFTER_MS` become stale. */
  tick(state: LivenessState, now: number, emit: Emit): void;
  /** The instrument is gone, as a market that ended: its status is removed. */
  forget(state: LivenessState, instrument: string, emit: Emit): void;
}

/** @param topic `statusTopics` of the venue. */
export function createLiveness(topic: Topic<MarketStatus>): Liveness {
  const update = (life: InstrumentLife, source: BookSource, feed: FeedLife, receivedAt: number, emit: Emit) => {
    const before = life.status;
    const state = judge(feed, life.awaitsSnapshot);
    if (state === before.state && isSameSource(source, before)) return;
    const { provider, instrument, marketId } = source;
    const since = state === before.state ? before.since : receivedAt;
    life.status = { provider, instrument, marketId, feed: source.feed, state, receivedAt, since };
    emit(topic, instrument, life.status);
  };

  const updateAll = (state: LivenessState, feed: FeedLife, receivedAt: number, emit: Emit) => {
    for (const instrument of feed.instruments) {
      const life = state.instruments.get(instrument)!;
      update(life, life.status, feed, receivedAt, emit);
    }
  };

  const add = (
    state: LivenessState,
    source: BookSource,
    feed: FeedLife,
    awaitsSnapshot: boolean,
    receivedAt: number,
    emit: Emit,
  ) => {
    const { provider, instrument, marketId } = source;
    const judged = judge(feed, awaitsSnapshot);
    const status: MarketStatus = {
      provider,
      instrument,
      marketId,
      feed: source.feed,
      state: judged,
      receivedAt,
      since: receivedAt,
    };
    feed.instruments.add(instrument);
    state.instruments.set(instrument, { status, awaitsSnapshot });
    emit(topic, instrument, status);
  };

  return {
    heard(state, name, receivedAt, emit) {
      const feed = feedOf(state, name, receivedAt);
      feed.heardAt = receivedAt;
      if (!feed.stale) return;
      // The same socket speaks again: nothing was lost in between.
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
      // A frame of a connection told to be lost is from before the loss: times are equal, and its book is not new.
      if (feed.link === 'open') life.awaitsSnapshot = false;
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
      if (feed.link !== 'open' || event.kind === 'connected') {
        for (const instrument of feed.instruments) state.instruments.get(instrument)!.awaitsSnapshot = true;
      }
      updateAll(state, feed, receivedAt, emit);
    },

    tick(state, now, emit) {
      for (const feed of state.feeds.values()) {
        if (feed.stale || feed.recorded || now - feed.heardAt < STALE_AFTER_MS) continue;
        feed.stale = true;
        updateAll(state, feed, now, emit);
      }
    },

    forget(state, instrument, emit) {
      const life = state.instruments.get(instrument);
      if (!life) return;
      state.feeds.get(life.status.feed)?.instruments.delete(instrument);
      state.instruments.delete(instrument);
      emit.remove(topic, instrument);
    },
  };
}

function feedOf(state: LivenessState, name: string, receivedAt: number): FeedLife {
  let feed = state.feeds.get(name);
  if (!feed) {
    feed = { heardAt: receivedAt, link: 'open', stale: false, recorded: false, instruments: new Set() };
    state.feeds.set(name, feed);
  }
  return feed;
}

function judge(feed: FeedLife, awaitsSnapshot: boolean): MarketStatus['state'] {
  if (feed.link === 'down') return 'venue_down';
  if (feed.stale) return 'stale';
  return awaitsSnapshot || feed.link === 'lost' ? 'recovering' : 'live';
}

/** False when the event says nothing of the instruments. */
function applyFeedEvent(feed: FeedLife, event: FeedEvent): boolean {
  switch (event.kind) {
    case 'connected':
      feed.link = 'open';
      feed.stale = false;
      feed.recorded = false;
      feed.heardAt = event.receivedAt;
      return true;
    case 'disconnected':
      // Told while reconnecting keeps failing, it is no better than before.
      if (feed.link === 'open') feed.link = 'lost';
      return true;
    case 'silent':
      if (feed.recorded) return false;
      feed.stale = true;
      return true;
    case 'unreachable':
      feed.link = 'down';
      return true;
    case 'recorded':
    case 'ended':
      feed.recorded = true;
      feed.link = 'open';
      feed.stale = false;
      return true;
    default:
      return false;
  }
}

function isSameSource(a: BookSource, b: BookSource): boolean {
  return a.feed === b.feed && a.marketId === b.marketId && a.provider === b.provider;
}
