import { beforeEach, describe, expect, it } from 'vitest';
import type { Actor } from '#schemas/domain/control/envelope';
import { aLink, aMarket, anAnomaly, aPhase, aResolution } from '#schemas/testing/records.fixture';
import { type Anomaly, anomalyTopic } from '#schemas/topics/anomalies';
import { eventTopic, type UniversalEvent } from '#schemas/topics/derived';
import { marketTopics } from '#schemas/topics/normalised';
import { type DisputePhase, disputeTopic, type Resolution, resolutionTopics } from '#schemas/topics/oracle';
import type { Delivery } from '#schemas/topics/webhooks';
import { findEventType } from '#schemas/webhooks/event-types';
import { anEvent, PHASE_SEEN, SETTLEMENT_SEEN } from '../shared/oracle-records.fixture.ts';
import { createOrganizationsProbe, deliveriesOf, type OrganizationsProbe } from './organizations.fixture.ts';

const DISPUTES = { eventType: 'event.dispute.updated', version: 1 };
const SETTLEMENTS = { eventType: 'event.settlement.landed', version: 1 };
const ANOMALIES = { eventType: 'event.anomaly.detected', version: 1 };
const only = (universalId: string) => ({ filters: { universalIds: [universalId] } });

let harness: OrganizationsProbe;
let acme: Actor;
beforeEach(() => {
  harness = createOrganizationsProbe();
  acme = harness.organization('org_acme');
});
const link = (event: UniversalEvent) => deliveriesOf(harness.probe.send(eventTopic, event.universalId, event));
const phase = (fields: Partial<DisputePhase> = {}) =>
  deliveriesOf(harness.probe.send(disputeTopic, '', aPhase(fields)));
const resolution = (fields: Partial<Resolution> = {}) =>
  deliveriesOf(harness.probe.send(resolutionTopics.venue_b, '', aResolution(fields)));
const anomaly = (fields: Partial<Anomaly> = {}) =>
  deliveriesOf(harness.probe.send(anomalyTopic, '', anAnomaly(fields)));
const webhooksOf = (deliveries: readonly Delivery[]) => deliveries.map(({ webhookId }) => webhookId);
/** Returns `data` of a delivery, checked against the schema of its type. */
function dataOf({ body, eventType, eventId }: Delivery): Record<string, unknown> {
  const event = JSON.parse(body) as { id: string; type: string; data: unknown };
  expect(event).toMatchObject({ id: eventId, type: eventType, specversion: '1.0' });
  return findEventType(eventType, 1)!.data.parse(event.data) as Record<string, unknown>;
}

describe('event.dispute.updated', () => {
  it('contains a phase with its event; its reversal and its next inclusion are events of their own', () => {
    link(anEvent('evt_1', [aLink()]));
    harness.webhook(acme, 'wh_1', DISPUTES);
    const deliveries = [
      phase(),
      phase({ status: 'confirmed' }),
      phase({ id: 'x' }),
      phase({ id: 'x', status: 'reverted' }),
    ];
    deliveries.push(phase({ id: 'x' }));
    expect(deliveries.map(webhooksOf)).toEqual([['wh_1'], [], ['wh_1'], ['wh_1'], ['wh_1']]);
    expect(new Set(deliveries.flat().map(({ eventId }) => eventId)).size).toBe(4);
    expect(deliveries.flat().map((one) => dataOf(one).status)).toEqual(['pending', 'pending', 'reverted', 'pending']);
    expect(dataOf(deliveries[0]![0]!)).toEqual({
      universalId: 'evt_1',
      id: 'venue_b:0xt:1',
      ...PHASE_SEEN,
    });
    expect(JSON.parse(deliveries[0]![0]!.body)).toMatchObject({ subject: 'evt_1', time: '1970-01-01T00:00:02.000Z' });
  });

  it('delivers a phase without a known event to webhooks without a filter, and later to those with a filter for its event', () => {
    harness.webhook(acme, 'wh_all', DISPUTES);
    harness.webhook(acme, 'wh_one', { ...DISPUTES, ...only('evt_1') });
    harness.webhook(acme, 'wh_other', { ...DISPUTES, ...only('evt_2') });
    const [first, ...none] = phase({ marketId: null });
    expect(none).toEqual([]);
    expect(first!.webhookId).toBe('wh_all');
    expect(dataOf(first!)).toMatchObject({ universalId: null, marketId: null });
    expect(JSON.parse(first!.body).subject).toBe('0xq');
    expect(phase()).toEqual([]);
    harness.probe.restart();
    const late = link(anEvent('evt_1', [aLink()]));
    expect(webhooksOf(late)).toEqual(['wh_one']);
    expect(dataOf(late[0]!)).toMatchObject({ universalId: 'evt_1', marketId: '0xc' });
  });
});

describe('event.settlement.landed', () => {
  it("contains the first resolution of each provider in the event's terms, with exact payouts, and its reversal", () => {
    harness.probe.send(marketTopics.venue_b, '0xc', aMarket({ outcomes: ['No', 'Yes'] }));
    link(anEvent('evt_1', [aLink({ polarity: 'inverse' }), aLink({ providerMarketId: '0xd' })]));
    harness.webhook(acme, 'wh_1', SETTLEMENTS);
    const [delivery] = resolution({ payouts: ['0', '1'] });
    expect(dataOf(delivery!)).toEqual({
      universalId: 'evt_1',
      ...SETTLEMENT_SEEN,
      outcome: 'no',
    });
    expect(resolution({ id: 'second', marketId: '0xd' })).toEqual([]);
    expect(resolution({ status: 'reverted' }).map((one) => [dataOf(one).marketId, dataOf(one).status])).toEqual([
      ['0xc', 'reverted'],
      ['0xd', 'pending'],
    ]);
  });

  it('reaches webhooks with a filter for an event that was merged into another, and waits for its event', () => {
    harness.webhook(acme, 'wh_1', { ...SETTLEMENTS, ...only('evt_0') });
    expect(resolution()).toEqual([]);
    link(anEvent('evt_0', [], 'evt_1'));
    expect(webhooksOf(link(anEvent('evt_1', [aLink()])))).toEqual(['wh_1']);
  });
});

describe('event.anomaly.detected', () => {
  it('delivers an anomaly with exact decimals to webhooks with a filter for its event', () => {
    harness.webhook(acme, 'wh_1', { ...ANOMALIES, ...only('evt_1') });
    harness.webhook(acme, 'wh_2', { ...ANOMALIES, ...only('evt_2') });
    const [delivery, ...others] = anomaly();
    expect(others).toEqual([]);
    expect(delivery!.webhookId).toBe('wh_1');
    expect(dataOf(delivery!)).toEqual({
      id: 'an_1',
      kind: 'trade_volume_spike',
      universalId: 'evt_1',
      provider: 'venue_b',
      marketId: '0xc',
      ts: '1970-01-01T00:00:00.000Z',
      bucketVol: '5200.000000000000000001',
      baselineMean: '800',
      baselineStddev: '400',
      zScore: '11.25',
    });
  });

  it('of a merged event belongs to the survivor', () => {
    harness.webhook(acme, 'wh_1', { ...ANOMALIES, ...only('evt_0') });
    link(anEvent('evt_0', [], 'evt_1'));
    expect(anomaly({ universalId: 'evt_0' }).map((one) => dataOf(one).universalId)).toEqual(['evt_1']);
  });
});
