import { beforeEach, describe, expect, it } from 'vitest';
import type { Actor } from '#schemas/domain/control/envelope';
import { fillPageTopic, subscribedFillTopic, type VenueAFill } from '#schemas/topics/account-fills';
import { findEventType } from '#schemas/webhooks/event-types';
import { coinFill, fillPage } from '../ledgers/venue-a-fills.fixture.ts';
import {
  createOrganizationsProbe,
  deliveriesOf,
  MAKER,
  OPERATOR,
  type OrganizationsProbe,
  TAKER,
} from './organizations.fixture.ts';

const LIQUIDATIONS = { eventType: 'broker.position.liquidated', version: 1 };

let harness: OrganizationsProbe;
let acme: Actor;
beforeEach(() => {
  harness = createOrganizationsProbe();
  acme = harness.organization('org_acme');
  harness.webhook(acme, 'wh_1', LIQUIDATIONS);
});
const liquidation = (time: number, fields: Partial<VenueAFill> = {}) =>
  coinFill(time, { liquidatedUser: TAKER, liquidationMark: '99', liquidationMethod: 'market', ...fields });
const page = (...fills: VenueAFill[]) =>
  deliveriesOf(harness.probe.send(fillPageTopic, TAKER, fillPage(TAKER, 'orders', 0, fills)));

describe('a forced liquidation of a bound wallet', () => {
  it('is delivered once, with exact decimals and the wallets', () => {
    harness.bind(acme, 'wal_1', TAKER);
    const deliveries = page(coinFill(5_000), liquidation(6_000));
    expect(deliveries).toMatchObject([{ webhookId: 'wh_1', orgId: 'org_acme', eventType: LIQUIDATIONS.eventType }]);
    const { data, subject } = JSON.parse(deliveries[0]!.body);
    expect(subject).toBe('venue_a_perp:BTC:6000:6000');
    expect(findEventType(LIQUIDATIONS.eventType, 1)!.data.parse(data)).toEqual({
      broker: 'venue_a',
      provider: 'venue_a_perp',
      coin: 'BTC',
      price: '100',
      qty: '1',
      markPrice: '99',
      method: 'market',
      at: '1970-01-01T00:00:06.000Z',
      wallets: [{ walletId: 'wal_1', address: TAKER, role: 'taker' }],
    });
    expect(page(liquidation(6_000))).toEqual([]);
    expect(page(liquidation(6_001))).toHaveLength(1);
    const subscribed = { user: TAKER, receivedAt: 9, fills: [liquidation(6_001), liquidation(6_002)] };
    expect(deliveriesOf(harness.probe.send(subscribedFillTopic, TAKER, subscribed))).toHaveLength(1);
    expect(page(liquidation(6_002))).toEqual([]);
  });

  it('is one event for each organization with a binding that covers its provider', () => {
    const other = harness.organization('org_other');
    harness.webhook(other, 'wh_2', LIQUIDATIONS);
    harness.bind(acme, 'wal_1', TAKER, 'venue_a_dex');
    harness.bind(other, 'wal_2', TAKER);
    expect(page(liquidation(6_000)).map(({ webhookId }) => webhookId)).toEqual(['wh_2']);
    const gold = liquidation(6_001, { provider: 'venue_a_dex', coin: 'x:GOLD' });
    expect(page(gold).map(({ webhookId }) => webhookId)).toEqual(['wh_1', 'wh_2']);
  });

  it('is not delivered from before the binding, nor to a suspended organization, nor after the binding ended', () => {
    harness.bind(acme, 'wal_1', TAKER);
    expect(page(liquidation(999))).toEqual([]);
    const suspend = (suspended: boolean) =>
      harness.command('organization.change', { organizationId: 'org_acme', suspended }, OPERATOR, {
        receivedAt: 7_000,
      });
    suspend(true);
    expect(page(liquidation(6_000))).toEqual([]);
    suspend(false);
    expect(page(liquidation(6_999))).toEqual([]);
    expect(page(liquidation(7_000))).toHaveLength(1);
    harness.command('wallet.unbind', { walletId: 'wal_1' }, acme);
    expect(page(liquidation(8_000))).toEqual([]);
  });

  it('is not what the counterparty of a liquidation traded', () => {
    harness.bind(acme, 'wal_1', TAKER);
    expect(page(liquidation(6_000, { liquidatedUser: MAKER }))).toEqual([]);
  });
});
