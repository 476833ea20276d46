/** Markets of one question on two venues, and a harness of the events stage. */
import { aMarket, aResolution } from '#schemas/testing/records.fixture';
import { clockTopic } from '#schemas/topics/control';
import { eventTopic, reconcileTopic, type UniversalEvent } from '#schemas/topics/derived';
import { type Market, marketTopics } from '#schemas/topics/normalised';
import { type Resolution, resolutionTopics } from '#schemas/topics/oracle';
import type { DrivenOutput } from '../testing/drive-stage.fixture.ts';
import { emittedTo, probeStage } from '../testing/stage-probe.fixture.ts';
import { createEventsStage } from './stage.ts';

/** When the markets are first listed. */
export const START = Date.UTC(2031, 2, 1);
/** Resolution time of their question. */
export const NOON_ET = Date.UTC(2031, 2, 12, 16);

/** Rules of venue_b's market. */
export const RULES =
  'Resolves "Yes" if the one-minute candle for BTC/USDT at 12:00 PM ET on that day closes higher than the threshold. The resolution source is Example Exchange, specifically its candles.';

/** Creates a daily price market of venue_b. */
export function daily(marketId: string, changes: Partial<Market> = {}): Market {
  return aMarket({
    marketId,
    receivedAt: START,
    title: 'Will the price of Bitcoin be above $64,000 on March 12?',
    description: RULES,
    groupTitle: 'Bitcoin above ___ on March 12?',
    groupItemTitle: '64,000',
    endTime: NOON_ET,
    instruments: [`${marketId}-yes`, `${marketId}-no`],
    takerFeeRate: '0.07',
    ...changes,
  });
}

/** Creates a market of venue_b that is no daily price market, without a group. */
export const titled = (marketId: string, title: string, changes: Partial<Market> = {}): Market =>
  daily(marketId, { title, groupTitle: null, groupItemTitle: null, ...changes });

/** Catalog fields of a resolved market. */
export const RESOLVED: Partial<Market> = { closed: true, resolved: true };

/** Creates a recurring outcome of venue_a. */
export function outcome(
  number: number,
  changes: Partial<Market> = {},
  expiry = '20310312-1600',
  target = '64000',
): Market {
  const description = `class:priceBinary|underlying:BTC|expiry:${expiry}|targetPrice:${target}|period:1d`;
  return {
    ...daily(`#${number}0`),
    provider: 'venue_a_outcome',
    title: 'Recurring',
    description,
    name: `Recurring (${description})`,
    groupTitle: null,
    groupItemTitle: null,
    instruments: [`#${number}0`, `#${number}1`],
    takerFeeRate: '0.0007',
    ...changes,
  };
}

/**
 * Creates the stage with the newest record of each event, and functions that send it records and return the emitted
 * events.
 */
export function harness() {
  const probe = probeStage(createEventsStage());
  const newest = new Map<string, UniversalEvent>();
  const note = (outputs: DrivenOutput[]) => {
    const events = emittedTo(outputs, eventTopic).filter((event) => event !== null);
    for (const event of events) newest.set(event.universalId, event);
    return events;
  };
  return {
    probe,
    newest,
    send: (market: Market) =>
      note(
        probe.send(
          market.provider === 'venue_b' ? marketTopics.venue_b : marketTopics.venue_a,
          `${market.provider}:${market.marketId}`,
          market,
        ),
      ),
    resolve: (market: Market, changes: Partial<Resolution> = {}) => {
      const { provider, marketId, endTime } = market;
      const topic = resolutionTopics[provider === 'venue_b' ? 'venue_b' : 'venue_a'];
      const offChain = { txHash: null, logIndex: null, blockNumber: null, blockHash: null };
      const times = { endTime, resolvedAt: NOON_ET, receivedAt: NOON_ET + 1 };
      const id = `${provider}:${marketId}`;
      const resolution = { id, provider, marketId, ...times, ...offChain, status: 'confirmed', ...changes } as const;
      return note(probe.send(topic, marketId, aResolution(resolution)));
    },
    clock: (receivedAt: number, day = false) => {
      const outputs = probe.send(clockTopic, 'clock', { receivedAt, tick: true, hour: day, day });
      const isRemoved = ({ topic, value }: DrivenOutput) => topic === eventTopic.name && value === null;
      return {
        events: note(outputs),
        removed: outputs.filter(isRemoved).map(({ key }) => key),
        reconciles: emittedTo(outputs, reconcileTopic),
      };
    },
  };
}

/** Returns the link of a market. */
export const linkOf = (event: UniversalEvent, marketId: string) =>
  event.links.find(({ providerMarketId }) => providerMarketId === marketId)!;
