/**
 * Calculates spreads and arbitrage of universal events. A book change affects only the events of its instrument, and
 * only the walks that it can have changed; a tick affects only the events with something to emit.
 */
import { type Emit, on, onKeyed, type Stage, type StageRecord } from '#infra/stages/stage';
import type { FeeModel } from '#schemas/domain/arbitrage/fee-model';
import { FEE_MODELS } from '#schemas/domain/arbitrage/fee-models';
import { type PricingTerms, pricingTermsOverTime } from '#schemas/domain/arbitrage/terms';
import { applyLevels, parseLevels } from '#schemas/domain/book';
import { isQuestionInstrument, PRICE_PROVIDERS, VENUES, type Venue } from '#schemas/domain/providers';
import { arbitrageSignalTopic } from '#schemas/topics/arbitrage-signals';
import { bookHeadTopic } from '#schemas/topics/book-heads';
import { type ClockMark, clockTopic } from '#schemas/topics/control';
import {
  arbitrageHeadTopic,
  arbitrageTopic,
  eventTopic,
  spreadHeadTopic,
  spreadTopic,
  type UniversalEvent,
} from '#schemas/topics/derived';
import { type BookUpdate, bookTopics, type MarketStatus, statusTopics } from '#schemas/topics/normalised';
import { emitDueHeads, noteChangedBook } from './book-heads.ts';
import { emitArbitrage, emitArbitrageTick } from './emit-arbitrage.ts';
import { emitHead, publishIfMoved } from './emit-spread.ts';
import { dropBook, instrumentOf, removeUnlinked } from './instruments.ts';
import { isQuotable, refreshTop, refreshWalks, TOUCHED_ALL, type Touched, touchedBy } from './legs.ts';
import { dropEvent, endResolved, legsOf, updateUnresolved } from './linked-events.ts';
import { createSpreadsState, type EventState, type InstrumentState, type LegLink, type SpreadsState } from './state.ts';

export interface SpreadsOptions {
  /** Number of shares that arbitrage is quoted for, decimal text above zero. */
  readonly arbitrageSize: string;
  /** All current and former fee models; those of the venues by default. */
  readonly feeModels?: readonly FeeModel[];
}

/** Creates the stage `spreads`. Throws for a size that is not above zero. */
export function createSpreadsStage({ arbitrageSize, feeModels = FEE_MODELS }: SpreadsOptions): Stage<SpreadsState> {
  const termsAt = pricingTermsOverTime(arbitrageSize, feeModels);
  return {
    name: 'spreads',
    stateVersion: 7,
    slicedMaps: ['events', 'instruments', 'changedBooks', 'unlinked', 'unpublished', 'profitable', 'outdatedAges'],
    inputs: [
      onKeyed<SpreadsState, UniversalEvent>(eventTopic, withTerms(termsAt, readEvent)),
      ...VENUES.map((venue) => on<SpreadsState, BookUpdate>(bookTopics[venue], withTerms(termsAt, bookReader(venue)))),
      ...Object.values(statusTopics).map((topic) =>
        onKeyed<SpreadsState, MarketStatus>(topic, withTerms(termsAt, readStatus)),
      ),
      on<SpreadsState, ClockMark>(clockTopic, withTerms(termsAt, readClock)),
    ],
    outputs: [bookHeadTopic, spreadHeadTopic, spreadTopic, arbitrageHeadTopic, arbitrageTopic, arbitrageSignalTopic],
    initialState: createSpreadsState,
  };
}

/** Applies a record after everything in it that can be invalid has been parsed; it does not throw. */
type Step = (state: SpreadsState, terms: PricingTerms, emit: Emit) => void;

/**
 * Handles a record with the terms of its time. If they changed, all walks are recalculated first. The record is parsed
 * before that: an invalid one must change nothing, because the outputs of a failed handler are dropped.
 */
function withTerms<T>(termsAt: (time: number) => PricingTerms, read: (record: StageRecord<T>) => Step) {
  return (state: SpreadsState, record: StageRecord<T>, emit: Emit): void => {
    const step = read(record);
    const terms = termsAt(record.receivedAt);
    if (state.size !== terms.size || state.feesSince !== terms.fees.since)
      changeTerms(state, terms, record.receivedAt, emit);
    step(state, terms, emit);
  };
}

const NOTHING: Step = () => {};

function changeTerms(state: SpreadsState, terms: PricingTerms, receivedAt: number, emit: Emit): void {
  state.size = terms.size;
  state.feesSince = terms.fees.since;
  for (const event of state.events.values()) {
    walkAgain(state, event, terms);
    emitArbitrage(state, event, terms.size, receivedAt, null, emit);
  }
}

function walkAgain(state: SpreadsState, event: EventState, terms: PricingTerms): void {
  if (!event.comparable) return;
  for (const leg of event.legs) {
    if (leg.marketState !== 'open') continue;
    for (const name of [leg.yes, leg.no]) {
      const instrument = name === null ? undefined : state.instruments.get(name);
      if (instrument) refreshWalks(leg, name === leg.yes, instrument.book, TOUCHED_ALL, terms);
    }
  }
}

function readEvent({ key, value, receivedAt }: StageRecord<UniversalEvent | null>): Step {
  if (value === null || value.mergedInto !== null)
    return (state, _terms, emit) => dropEvent(state, key, receivedAt, emit);
  const legs = legsOf(value);
  if (value.status === 'resolved')
    return (state, _terms, emit) => endResolved(state, { universalId: value.universalId, legs }, receivedAt, emit);
  return (state, terms, emit) => {
    const update = updateUnresolved(state, { universalId: value.universalId, legs }, { receivedAt, emit });
    if (!update) return;
    const { event, stateChanges } = update;
    for (const leg of event.legs) {
      if (leg.marketState !== 'open') continue;
      refreshTop(leg, state.instruments.get(leg.yes)!);
      leg.noLive = leg.no !== null && isQuotable(state.instruments.get(leg.no)!);
    }
    walkAgain(state, event, terms);
    const cause = stateChanges?.length === 1 ? stateChanges[0]! : null;
    emitHead(state, event, receivedAt, cause, emit);
    if (stateChanges === null) state.unpublished.add(key);
    else publishIfMoved(state, event, receivedAt, cause, emit);
    emitArbitrage(state, event, terms.size, receivedAt, cause, emit);
  };
}

function bookReader(venue: Venue) {
  return (record: StageRecord<BookUpdate>): Step =>
    isQuestionInstrument[venue](record.key) ? readBook(record) : NOTHING;
}

function readBook({ value, receivedAt }: StageRecord<BookUpdate>): Step {
  const { instrument: name, snapshot, ts } = value;
  const bids = parseLevels(value.bids);
  const asks = parseLevels(value.asks);
  return (state, terms, emit) => {
    const instrument = instrumentOf(state, name, { receivedAt, emit });
    // Changes of a book that is not in the state are useless without a snapshot.
    if (instrument.bookAt === null && !snapshot) return;
    applyLevels(instrument.book, { snapshot, bids, asks });
    // The first frame makes a leg quotable, whatever its levels.
    const isFirst = instrument.bookAt === null;
    const touched = isFirst ? TOUCHED_ALL : touchedBy(snapshot, bids, asks);
    instrument.bookAt = receivedAt;
    instrument.ts = ts;
    noteChangedBook(state, name, receivedAt);
    updateEventsOf(state, instrument, { touched, quotable: isFirst, receivedAt, terms, emit });
  };
}

function readStatus({ key, value, receivedAt }: StageRecord<MarketStatus | null>): Step {
  if (value !== null && PRICE_PROVIDERS.has(value.provider)) return NOTHING;
  return (state, terms, emit) => {
    if (value === null) {
      removeUnlinked(state, key, { receivedAt, emit });
      if (!state.instruments.has(key)) return;
    }
    const instrument = instrumentOf(state, key, { receivedAt, emit });
    // The market ended, so its last book is meaningless.
    if (value === null) dropBook(state, key, { receivedAt, emit });
    else if (value.state === instrument.state) return;
    instrument.state = value?.state ?? null;
    updateEventsOf(state, instrument, {
      touched: value === null ? TOUCHED_ALL : NOTHING_TOUCHED,
      quotable: true,
      receivedAt,
      terms,
      emit,
    });
  };
}

const NOTHING_TOUCHED: Touched = { bid: null, ask: null };

function readClock({ value, receivedAt }: StageRecord<ClockMark>): Step {
  if (!value.tick) return NOTHING;
  return (state, _terms, emit) => {
    emitDueHeads(state, { receivedAt, emit });
    for (const universalId of state.unpublished) {
      publishIfMoved(state, state.events.get(universalId)!, receivedAt, null, emit);
    }
    state.unpublished.clear();
    emitArbitrageTick(state, receivedAt, emit);
  };
}

interface Change {
  readonly touched: Touched;
  /** True if the instrument may have become quotable, or ceased to be. */
  readonly quotable: boolean;
  readonly receivedAt: number;
  readonly terms: PricingTerms;
  readonly emit: Emit;
}

/** Updates the events of an instrument and emits their changes. */
function updateEventsOf(state: SpreadsState, instrument: InstrumentState, change: Change): void {
  for (const link of instrument.links) updateLeg(state, link, instrument, change);
}

function updateLeg(state: SpreadsState, link: LegLink, instrument: InstrumentState, change: Change): void {
  const { touched, quotable, receivedAt, terms, emit } = change;
  const { isYes } = link;
  const event = state.events.get(link.universalId)!;
  const leg = event.legs[link.leg]!;
  // A closed or resolved market may still send books, which cannot be traded on.
  if (leg.marketState !== 'open') return;
  if (!isYes) leg.noLive = isQuotable(instrument);
  else if (refreshTop(leg, instrument)) {
    emitHead(state, event, receivedAt, leg, emit);
    publishIfMoved(state, event, receivedAt, leg, emit);
  }
  if (!event.comparable) return;
  const moved = refreshWalks(leg, isYes, instrument.book, touched, terms);
  if (moved || quotable) emitArbitrage(state, event, terms.size, receivedAt, leg, emit);
  else if (event.best.cross_provider !== null || event.best.negation_pair !== null)
    state.outdatedAges.add(event.universalId);
}
