/** Events, books and statuses for tests of the stage, and a driver that returns what each record causes. */
import { aLink, anEvent } from '#schemas/testing/records.fixture';
import { arbitrageSignalTopic } from '#schemas/topics/arbitrage-signals';
import { type BookHead, bookHeadTopic } from '#schemas/topics/book-heads';
import { clockTopic } from '#schemas/topics/control';
import {
  arbitrageHeadTopic,
  arbitrageTopic,
  type EventLink,
  eventTopic,
  spreadHeadTopic,
  spreadTopic,
  type UniversalEvent,
} from '#schemas/topics/derived';
import { type BookUpdate, bookTopics, type MarketStatus, statusTopics } from '#schemas/topics/normalised';
import { stageOverTime } from '../settings/over-time.ts';
import { emittedTo, probeStage } from '../testing/stage-probe.fixture.ts';
import { createSpreadsStage } from './stage.ts';

/** Levels of one side of a book. */
export type Levels = readonly (readonly [price: string, size: string])[];
/** Returns levels as in a book update. */
export const levels = (pairs: Levels) => pairs.map(([price, size]) => ({ price, size }));

/** Creates a link to the market `#70` of venue_a or `0xc` of venue_b. */
export function link(provider: 'venue_a_outcome' | 'venue_b', changes: Partial<EventLink> = {}): EventLink {
  const isB = provider === 'venue_b';
  return aLink({
    provider,
    providerMarketId: isB ? '0xc' : '#70',
    yesInstrument: isB ? 'b-yes' : '#70',
    noInstrument: isB ? 'b-no' : '#71',
    takerFeeRate: isB ? '0' : '0.0007',
    ...changes,
  });
}

/** Creates an event of both markets. */
export const event = (changes: Partial<UniversalEvent> = {}) =>
  anEvent({ links: [link('venue_a_outcome'), link('venue_b')], ...changes });

/** Creates a stage with a size. */
const ofSize = (arbitrageSize: string): ReturnType<typeof createSpreadsStage> => createSpreadsStage({ arbitrageSize });

/** Creates a stage whose size is 100 at first and another one from a time on. */
export const sizeFrom = (from: number, size: string): ReturnType<typeof createSpreadsStage> =>
  stageOverTime([
    { from: 0, stage: ofSize('100') },
    { from, stage: ofSize(size) },
  ]);

/** Handles one record per call and returns its outputs by topic. */
export type SpreadsDriver = ReturnType<typeof driveSpreads>;

/** Drives a stage, by default of size 100. */
export function driveSpreads(stage = ofSize('100')) {
  const probe = probeStage(stage);
  const venueOf = (instrument: string) => (instrument.startsWith('#') ? 'venue_a' : 'venue_b');
  const sort = (outputs: ReturnType<typeof probe.remove>) => ({
    bookHeads: emittedTo<BookHead | null>(outputs, bookHeadTopic),
    heads: emittedTo(outputs, spreadHeadTopic),
    spreads: emittedTo(outputs, spreadTopic),
    arbitrageHeads: outputs.filter(({ topic }) => topic === arbitrageHeadTopic.name),
    arbitrages: emittedTo(outputs, arbitrageTopic),
    signals: emittedTo(outputs, arbitrageSignalTopic),
  });
  const common = (instrument: string, receivedAt: number) => ({
    provider: venueOf(instrument) === 'venue_a' ? 'venue_a_outcome' : 'venue_b',
    instrument,
    marketId: null,
    feed: 'f',
    receivedAt,
  });
  return {
    probe,
    link: (record: UniversalEvent) => sort(probe.send(eventTopic, record.universalId, record)),
    book: (instrument: string, at: number, bids: Levels, asks: Levels, snapshot = true) =>
      sort(
        probe.send(bookTopics[venueOf(instrument)], instrument, {
          ...common(instrument, at),
          ts: at,
          snapshot,
          bids: levels(bids),
          asks: levels(asks),
        } satisfies BookUpdate),
      ),
    status: (instrument: string, at: number, state: MarketStatus['state'] = 'live') =>
      sort(probe.send(statusTopics[venueOf(instrument)], instrument, { ...common(instrument, at), state, since: at })),
    end: (instrument: string, at: number) => sort(probe.remove(statusTopics[venueOf(instrument)], instrument, at)),
    tick: (at: number, tick = true) =>
      sort(probe.send(clockTopic, 'clock', { receivedAt: at, tick, hour: false, day: false })),
  };
}

/** Creates an event with two live YES books and a profit: buy on venue_b at 0.50, sell on venue_a at 0.56. */
export function driveProfitable(stage = ofSize('100')) {
  const all = driveSpreads(stage);
  all.link(event());
  all.book('#70', 1010, [['0.56', '500']], [['0.58', '500']]);
  all.status('#70', 1010);
  all.book('b-yes', 1020, [['0.48', '500']], [['0.5', '500']]);
  const last = all.status('b-yes', 1020);
  return { ...all, last };
}

/** The output that removes the record of arbitrage of `driveProfitable`. */
export const REMOVED = { topic: arbitrageHeadTopic.name, key: 'evt_1:cross_provider', value: null };
