/** Events, books, trades and settlements for tests of the stage, and a harness that collects its anomalies. */
import { aLink, anEvent, aResolution } from '#schemas/testing/records.fixture';
import { type Anomaly, anomalyTopic } from '#schemas/topics/anomalies';
import { clockTopic } from '#schemas/topics/control';
import { eventTopic, type UniversalEvent } from '#schemas/topics/derived';
import { type BookUpdate, bookTopics, type Trade, tradeTopics } from '#schemas/topics/normalised';
import { type Resolution, resolutionTopics } from '#schemas/topics/oracle';
import { driveStage, type StageDriver } from '../testing/drive-stage.fixture.ts';
import { createAnomaliesStage } from './stage.ts';
import { type AnomaliesState, MINUTE_MS } from './state.ts';

/** The first minute of the tests, at a full hour. */
const BEGIN = Date.UTC(2026, 0, 15, 12);
export const minute = (at: number): number => BEGIN + at * MINUTE_MS;

/** Creates an event of markets of venue_b, whose YES and NO tokens are the market's name with `-yes` and `-no`. */
export function event(
  universalId: string,
  markets: readonly string[],
  rest: Partial<UniversalEvent> = {},
): UniversalEvent {
  const links = markets.map((market) =>
    aLink({ providerMarketId: market, yesInstrument: `${market}-yes`, noInstrument: `${market}-no`, title: '' }),
  );
  return anEvent({ universalId, receivedAt: BEGIN, firstSeenAt: BEGIN, lastSeenAt: BEGIN, links, ...rest });
}

/** Creates a snapshot of the book of the YES token. */
export function book(market: string, receivedAt: number, bid: string | null, ask: string | null): BookUpdate {
  const side = (price: string | null) => (price === null ? [] : [{ price, size: '100' }]);
  return {
    provider: 'venue_b',
    instrument: `${market}-yes`,
    marketId: market,
    feed: 'clob',
    ts: receivedAt,
    receivedAt,
    snapshot: true,
    bids: side(bid),
    asks: side(ask),
  };
}

let trades = 0;

/** Creates a confirmed trade between wallets of its own; `rest` changes fields. */
export function trade(market: string, receivedAt: number, rest: Partial<Trade> = {}): Trade {
  trades += 1;
  return {
    id: `venue_b:0x${trades}:0`,
    provider: 'venue_b',
    marketId: market,
    instrument: `${market}-yes`,
    outcome: 'Yes',
    ts: receivedAt,
    receivedAt,
    arrival: trades,
    side: 'buy',
    price: '0.5',
    qty: '10',
    usd: null,
    maker: `0xmaker${trades}`,
    taker: `0xtaker${trades}`,
    txHash: `0x${trades}`,
    logIndex: 0,
    tradeId: null,
    blockNumber: 1,
    blockHash: '0xb',
    orders: null,
    status: 'confirmed',
    ...rest,
  };
}

/** Creates a settlement `delay` seconds after the end date of its market. */
export function resolution(
  market: string,
  receivedAt: number,
  delaySec: number,
  rest: Partial<Resolution> = {},
): Resolution {
  return aResolution({
    id: `venue_b:${market}:0`,
    marketId: market,
    resolvedAt: receivedAt,
    receivedAt,
    endTime: receivedAt - delaySec * 1_000,
    status: 'confirmed',
    ...rest,
  });
}

export interface AnomaliesDriver {
  readonly driver: StageDriver<AnomaliesState>;
  event(value: UniversalEvent): void;
  book(value: BookUpdate): void;
  /** Sends a trade at the time of its receipt, or later for a repeated record. */
  trade(value: Trade, sentAt?: number): void;
  resolution(value: Resolution, sentAt?: number): void;
  tick(receivedAt: number): void;
  anomalies(): Anomaly[];
}

const venueOf = ({ provider }: { readonly provider: string }) => (provider === 'venue_b' ? 'venue_b' : 'venue_a');

export function driveAnomalies(anomalyZ = '6'): AnomaliesDriver {
  const driver = driveStage(createAnomaliesStage({ anomalyZ }));
  return {
    driver,
    event: (value) => driver.feed(eventTopic, value, { key: value.universalId }),
    book: (value) => driver.feed(bookTopics[venueOf(value)], value),
    trade: (value, receivedAt = value.receivedAt) => driver.feed(tradeTopics[venueOf(value)], value, { receivedAt }),
    resolution: (value, receivedAt = value.receivedAt) => driver.feed(resolutionTopics.venue_b, value, { receivedAt }),
    tick: (receivedAt) => {
      const hour = receivedAt % 3_600_000 === 0;
      const day = receivedAt % 86_400_000 === 0;
      driver.feed(clockTopic, { receivedAt, tick: true, hour, day });
    },
    anomalies: () => {
      if (driver.deadLetters.length > 0) throw new Error(JSON.stringify(driver.deadLetters));
      return driver.emittedTo(anomalyTopic);
    },
  };
}
