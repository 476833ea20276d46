/** Outputs of the stages for an event of two venues while the market of one of them is resolved. */
import { describe, expect, it } from 'vitest';
import { aResolution } from '#schemas/testing/records.fixture';
import { channelTopics } from '#schemas/topics/channels';
import { clockTopic } from '#schemas/topics/control';
import { arbitrageHeadTopic, arbitrageTopic, eventTopic, spreadHeadTopic, spreadTopic } from '#schemas/topics/derived';
import { bookTopics, marketTopics, statusTopics } from '#schemas/topics/normalised';
import { resolutionTopics } from '#schemas/topics/oracle';
import type { Topic } from '#schemas/topics/topic';
import { createChannelsStage } from './channels/stage.ts';
import { daily, outcome, START } from './events/events.fixture.ts';
import { createEventsStage } from './events/stage.ts';
import { createOrganizationsProbe, deliveriesOf } from './organizations/organizations.fixture.ts';
import { createSpreadsStage } from './spreads/stage.ts';
import type { DrivenOutput } from './testing/drive-stage.fixture.ts';
import { probeStage, type StageProbe } from './testing/stage-probe.fixture.ts';

/** Chained stages: an input goes to the stages that read its topic, and their outputs to the stages after them. */
function pipeline() {
  const organizations = createOrganizationsProbe();
  const acme = organizations.organization('org_acme');
  organizations.webhook(
    acme,
    'wh_1',
    { eventType: 'event.arbitrage.detected', version: 1 },
    { eventType: 'event.spread.changed', version: 1 },
  );
  const catalog = [marketTopics.venue_a, marketTopics.venue_b, resolutionTopics.venue_b];
  const stages: [StageProbe, readonly Topic<never>[]][] = [
    [probeStage(createEventsStage()), [...catalog, clockTopic] as never],
    [
      probeStage(createSpreadsStage({ arbitrageSize: '100' })),
      [eventTopic, ...Object.values(bookTopics), ...Object.values(statusTopics), clockTopic] as never,
    ],
    [probeStage(createChannelsStage()), [...catalog, eventTopic, spreadTopic, arbitrageTopic] as never],
    [organizations.probe, [...catalog, eventTopic, spreadTopic, arbitrageTopic] as never],
  ];
  const heads = new Map<string, unknown>();
  const send = <T extends { receivedAt: number }>(topic: Topic<T>, key: string, value: T) => {
    const written: DrivenOutput[] = [];
    const waiting: DrivenOutput[] = [{ topic: topic.name, key, value }];
    for (let input = waiting.shift(); input !== undefined; input = waiting.shift()) {
      for (const [probe, reads] of stages) {
        const read = reads.find(({ name }) => name === input.topic);
        if (!read || input.value === null) continue;
        const outputs = probe.send(read, input.key, input.value as never);
        written.push(...outputs);
        waiting.push(...outputs);
      }
    }
    for (const output of written) {
      if (output.topic === arbitrageHeadTopic.name || output.topic === spreadHeadTopic.name) {
        if (output.value === null) heads.delete(output.key);
        else heads.set(output.key, output.value);
      }
    }
    return {
      frames: written
        .filter((output) => output.topic === channelTopics.events.name)
        .map((output) => (output.value as { type: string }).type),
      deliveries: deliveriesOf(written).map(({ eventType }) => eventType),
    };
  };
  return {
    heads,
    send,
    tick: (receivedAt: number) => send(clockTopic, 'clock', { receivedAt, tick: true, hour: false, day: false }),
  };
}

describe('an event with a market that is resolved and one that is not', () => {
  it('has no arbitrage on any topic, channel or webhook from the resolution on until that is reverted', () => {
    const { send, tick, heads } = pipeline();
    const [marketA, marketB] = [outcome(7), daily('0xa', { takerFeeRate: '0' })];
    send(marketTopics.venue_a, 'venue_a_outcome:#70', marketA);
    send(marketTopics.venue_b, 'venue_b:0xa', marketB);
    const book = (instrument: string, receivedAt: number, bid: string, ask: string) => {
      const venue = instrument === '#70' ? ('venue_a' as const) : ('venue_b' as const);
      const provider = venue === 'venue_a' ? 'venue_a_outcome' : 'venue_b';
      const common = { provider, instrument, marketId: null, feed: 'f', receivedAt };
      const [bids, asks] = [[{ price: bid, size: '500' }], [{ price: ask, size: '500' }]];
      return [
        send(bookTopics[venue], instrument, { ...common, ts: receivedAt, snapshot: true, bids, asks }),
        send(statusTopics[venue], instrument, { ...common, state: 'live', since: receivedAt }),
      ];
    };
    book('#70', START + 10, '0.56', '0.58');
    book('0xa-yes', START + 20, '0.48', '0.5');
    const profitable = { frames: ['event.arbitrage'], deliveries: ['event.arbitrage.detected'] };
    expect(tick(START + 5000)).toEqual(profitable);
    const arbitrageHeads = () => [...heads.keys()].filter((key) => key.includes(':'));
    expect(arbitrageHeads()).toHaveLength(1);

    const resolution = aResolution({ marketId: '0xa', receivedAt: START + 6000 });
    const resolved = send(resolutionTopics.venue_b, '0xa', resolution);
    expect(resolved.frames).not.toContain('event.arbitrage');
    expect(resolved.frames).toContain('event.spread');
    expect(resolved.deliveries).toEqual(['event.spread.changed']);
    expect(arbitrageHeads()).toEqual([]);
    const nothing = { frames: [], deliveries: [] };
    for (let at = START + 10_000; at < START + 60_000; at += 5000) {
      // The books of both markets still change.
      expect(book('0xa-yes', at - 1000, '0.4', '0.42')).toEqual([nothing, nothing]);
      expect(book('#70', at - 900, '0.56', `0.58${at % 10_000 === 0 ? 1 : 2}`)).toEqual([nothing, nothing]);
      expect(tick(at)).toEqual(nothing);
      expect(arbitrageHeads()).toEqual([]);
    }

    const reverted = send(resolutionTopics.venue_b, '0xa', {
      ...resolution,
      status: 'reverted',
      receivedAt: START + 61_000,
    });
    expect(reverted.frames).toContain('event.arbitrage');
    expect(tick(START + 65_000)).toEqual(profitable);
  });
});
