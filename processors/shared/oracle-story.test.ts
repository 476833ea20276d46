/** Tests that channels and webhooks report the oracle records of one market with the same content in the same order. */
import { expect, it } from 'vitest';
import { aLink, aMarket, aPhase, aResolution } from '#schemas/testing/records.fixture';
import { channelTopics } from '#schemas/topics/channels';
import { eventTopic } from '#schemas/topics/derived';
import { marketTopics } from '#schemas/topics/normalised';
import { disputeTopic, resolutionTopics } from '#schemas/topics/oracle';
import type { Topic } from '#schemas/topics/topic';
import { createChannelsStage } from '../channels/stage.ts';
import { createOrganizationsProbe, deliveriesOf } from '../organizations/organizations.fixture.ts';
import { emittedTo, probeStage } from '../testing/stage-probe.fixture.ts';
import { anEvent } from './oracle-records.fixture.ts';

type Step = readonly [topic: Topic<never>, value: { receivedAt: number }];
const step = <T extends { receivedAt: number }>(topic: Topic<T>, value: T): Step => [topic as Topic<never>, value];

const propose = aPhase({ id: 'p1', marketId: null });
const dispute = aPhase({ id: 'd1', phase: 'dispute', disputer: `0x${'dd'.repeat(20)}`, logIndex: 2 });
const proposeAgain = aPhase({ id: 'p2', requestTimestamp: 2, blockNumber: 6 });
const settle = aPhase({ id: 's2', phase: 'settle', requestTimestamp: 2, blockNumber: 7 });
const resolved = aResolution({ payouts: ['0', '1'], blockNumber: 7 });

/** A proposal before the catalog lists the market, a dispute, a reset, a settlement in a replaced block, a payout. */
const STORY: readonly Step[] = [
  step(disputeTopic, propose),
  step(marketTopics.venue_b, aMarket()),
  step(disputeTopic, { ...propose, marketId: '0xc' }),
  step(eventTopic, anEvent('evt_1', [aLink({ polarity: 'inverse' })])),
  step(disputeTopic, dispute),
  step(disputeTopic, proposeAgain),
  step(disputeTopic, { ...propose, marketId: '0xc', status: 'confirmed' }),
  step(disputeTopic, settle),
  step(resolutionTopics.venue_b, resolved),
  step(disputeTopic, { ...settle, status: 'reverted' }),
  step(resolutionTopics.venue_b, { ...resolved, status: 'reverted' }),
  step(disputeTopic, { ...settle, blockNumber: 8 }),
  step(resolutionTopics.venue_b, { ...resolved, blockNumber: 8 }),
  step(resolutionTopics.venue_b, { ...resolved, blockNumber: 8, status: 'confirmed' }),
];

/** Returns the fields of a record that distinguish it from the others. */
const summary = (record: Record<string, unknown>) => `${record.phase ?? record.outcome} ${record.status}`;

it('the records of a market are the same on the channels and in the webhooks', () => {
  const channels = probeStage(createChannelsStage());
  const organizations = createOrganizationsProbe();
  const acme = organizations.organization('org_acme');
  const eventTypes = ['event.dispute.updated', 'event.settlement.landed'];
  const filters = { universalIds: ['evt_1'] };
  organizations.webhook(acme, 'wh_event', ...eventTypes.map((eventType) => ({ eventType, version: 1, filters })));
  organizations.webhook(acme, 'wh_all', ...eventTypes.map((eventType) => ({ eventType, version: 1 })));

  const ofEvent: string[] = [];
  const ofVenue: string[] = [];
  const delivered: Record<string, string[]> = { wh_event: [], wh_all: [] };
  for (const [topic, value] of STORY) {
    const key = topic.name === eventTopic.name ? 'evt_1' : '0xc';
    for (const { channel, payload } of emittedTo(channels.send(topic, key, value as never), channelTopics.events)) {
      if (channel.endsWith(':evt_1')) ofEvent.push(summary(JSON.parse(payload)));
      else ofVenue.push(summary(JSON.parse(payload)));
    }
    for (const { webhookId, body } of deliveriesOf(organizations.probe.send(topic, key, value as never)))
      delivered[webhookId]!.push(summary(JSON.parse(body).data));
  }

  expect(ofEvent).toEqual([
    'propose pending',
    'dispute pending',
    'propose pending',
    'settle pending',
    'yes pending',
    'settle reverted',
    'yes reverted',
    'settle pending',
    'yes pending',
  ]);
  expect(delivered.wh_event).toEqual(ofEvent);
  expect(delivered.wh_all).toEqual(ofEvent);
  // The firehose has only phases.
  expect(ofVenue).toEqual(ofEvent.filter((line) => !line.startsWith('yes')));
});
