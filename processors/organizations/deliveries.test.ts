import { beforeEach, describe, expect, it } from 'vitest';
import { compressDeliveries } from '#schemas/domain/control/commands/recover-webhook';
import type { Actor } from '#schemas/domain/control/envelope';
import { toTradeRecord } from '#schemas/http/trade';
import { auditTopic } from '#schemas/topics/audit';
import { arbitrageTopic, eventTopic, type Spread, spreadTopic } from '#schemas/topics/derived';
import type { Delivery } from '#schemas/topics/webhooks';
import { findEventType } from '#schemas/webhooks/event-types';
import { emittedTo } from '../testing/stage-probe.fixture.ts';
import {
  arbitrage,
  chainTrade,
  createOrganizationsProbe,
  deliveriesOf,
  eventOf,
  MAKER,
  OPERATOR,
  type OrganizationsProbe,
  perpTrade,
  spread,
  TAKER,
  WALL_MS,
} from './organizations.fixture.ts';

const TRADES = { eventType: 'broker.trade.executed', version: 1 };
const SPREADS = { eventType: 'event.spread.changed', version: 1 };
const ARBITRAGE = { eventType: 'event.arbitrage.detected', version: 1 };

let harness: OrganizationsProbe;
let acme: Actor;
beforeEach(() => {
  harness = createOrganizationsProbe();
  acme = harness.organization('org_acme');
});
const trade = (...args: Parameters<OrganizationsProbe['trade']>) => deliveriesOf(harness.trade(...args));
const sendSpread = (changes: Partial<Spread> = {}) =>
  deliveriesOf(harness.probe.send(spreadTopic, 'evt_1', { ...spread, ...changes }));
const webhooksOf = (deliveries: readonly Delivery[]) => deliveries.map(({ webhookId }) => webhookId);
/** Returns `data` of a delivery, checked against the schema of its type. */
function dataOf({ body, eventType, eventId }: Delivery): Record<string, unknown> {
  const event = JSON.parse(body) as { id: string; type: string; data: unknown };
  expect(event).toMatchObject({ id: eventId, type: eventType, specversion: '1.0' });
  return findEventType(eventType, 1)!.data.parse(event.data) as Record<string, unknown>;
}

describe('a fill', () => {
  it('is delivered with exact decimals and its bound wallets', () => {
    harness.webhook(acme, 'wh_1', TRADES);
    harness.bind(acme, 'wal_1', TAKER, 'venue_b');
    harness.bind(acme, 'wal_2', MAKER, 'venue_b');
    const [delivery, ...others] = trade();
    expect(others).toEqual([]);
    expect(delivery).toMatchObject({ webhookId: 'wh_1', orgId: 'org_acme', receivedAt: 2_000, createdAt: 2_000 });
    expect(delivery).toMatchObject({ eventType: 'broker.trade.executed', test: false });
    expect(JSON.parse(delivery!.body)).toMatchObject({ time: '1970-01-01T00:00:02.000Z', subject: 'venue_b:0xt:1' });
    expect(dataOf(delivery!)).toMatchObject({
      broker: 'venue_b',
      price: '0.123456789012345678',
      usd: '1.5',
      status: 'pending',
      wallets: [
        { walletId: 'wal_2', address: MAKER, role: 'maker' },
        { walletId: 'wal_1', address: TAKER, role: 'taker' },
      ],
    });
  });

  it.each([
    ['a venue_b trade', chainTrade, { id: 'venue_b:0xt:1', tradeId: null }],
    ['a venue_a trade', perpTrade, { id: 'venue_a_perp:BTC:1900:7', tradeId: '7' }],
  ])('has for %s the same fields as the trade record of REST and WebSocket', (_, one, ids) => {
    harness.webhook(acme, 'wh_1', TRADES);
    harness.bind(acme, 'wal_1', TAKER, one === perpTrade ? 'venue_a_perp' : 'venue_b');
    const data = dataOf(trade({}, one)[0]!);
    expect(data).toMatchObject(ids);
    // Decimals are text here and numbers in REST; the token and its outcome are not part of the webhook's data.
    const { price, qty, tokenId, outcome, ...shared } = toTradeRecord(one);
    expect(data).toMatchObject(shared);
  });

  it('has null for fields that the venue does not state, and for a counterparty that is no address', () => {
    harness.webhook(acme, 'wh_1', TRADES);
    harness.bind(acme, 'wal_1', MAKER);
    const [delivery] = trade({ taker: 'somebody' }, perpTrade);
    expect(dataOf(delivery!)).toMatchObject({ usd: null, taker: null, txHash: null, broker: 'venue_a' });
  });

  it('is one event for all webhooks of an organization, and another for its reversal and its next inclusion', () => {
    harness.webhook(acme, 'wh_1', TRADES);
    harness.webhook(acme, 'wh_2', TRADES, SPREADS);
    harness.bind(acme, 'wal_1', MAKER, 'venue_b');
    const emitted = [trade(), trade({ status: 'reverted' }), trade({ arrival: 2 })];
    expect(emitted.map(webhooksOf)).toEqual([
      ['wh_1', 'wh_2'],
      ['wh_1', 'wh_2'],
      ['wh_1', 'wh_2'],
    ]);
    for (const [one, two] of emitted) expect([two!.eventId, two!.body]).toEqual([one!.eventId, one!.body]);
    expect(new Set(emitted.map(([one]) => one!.eventId)).size).toBe(3);
    expect(new Set(emitted.flat().map(({ id }) => id)).size).toBe(6);
    expect(emitted.map(([one]) => dataOf(one!).status)).toEqual(['pending', 'reverted', 'pending']);
  });

  it('is not visible to another organization, and neither is its id', () => {
    const other = harness.organization('org_other');
    harness.webhook(acme, 'wh_1', TRADES);
    harness.webhook(other, 'wh_2', TRADES);
    harness.bind(acme, 'wal_1', MAKER, 'venue_b');
    expect(webhooksOf(trade())).toEqual(['wh_1']);
    harness.bind(other, 'wal_2', MAKER, 'venue_b');
    const [own, others] = trade({ id: 'x', arrival: 2 });
    expect(others!.eventId).not.toBe(own!.eventId);
    expect(own!.body).not.toContain('wal_2');
    expect(others!.body).not.toContain('wal_1');
  });

  it.each([
    [{ brokers: ['venue_a'] }, []],
    [{ brokers: ['venue_b'] }, ['wh_1']],
    [{ brokers: ['venue_a', 'venue_b'] }, ['wh_1']],
    [{}, ['wh_1']],
    [{ brokers: 'venue_b' }, []],
  ])('is selected by filters %j', (filters, expected) => {
    harness.webhook(acme, 'wh_1', { ...TRADES, filters });
    harness.bind(acme, 'wal_1', MAKER, 'venue_b');
    expect(webhooksOf(trade())).toEqual(expected);
  });

  it('is delivered once if several subscriptions of a webhook match', () => {
    harness.webhook(acme, 'wh_1', { ...TRADES, filters: { brokers: ['venue_a'] } }, TRADES);
    harness.bind(acme, 'wal_1', MAKER, 'venue_b');
    expect(webhooksOf(trade())).toEqual(['wh_1']);
  });
});

describe('a webhook', () => {
  it('gets its events, but nothing while it is disabled or its organization is suspended', () => {
    const suspend = (suspended: boolean) =>
      harness.command('organization.change', { organizationId: 'org_acme', suspended }, OPERATOR);
    const change = (body: object) => harness.command('webhook.change', { webhookId: 'wh_1', ...body }, acme);
    harness.webhook(acme, 'wh_1', SPREADS);
    const receivers = () => webhooksOf(sendSpread());
    expect(receivers()).toEqual(['wh_1']);
    change({ enabled: false });
    expect(receivers()).toEqual([]);
    change({ enabled: true });
    expect(receivers()).toEqual(['wh_1']);
    suspend(true);
    expect(receivers()).toEqual([]);
    suspend(false);
    harness.probe.restart();
    expect(receivers()).toEqual(['wh_1']);
    change({ subscriptions: [{ ...SPREADS, filters: { universalIds: ['evt_other'] } }] });
    expect(receivers()).toEqual([]);
    change({ subscriptions: [{ ...SPREADS, version: 2 }] });
    expect(receivers()).toEqual([]);
    change({ subscriptions: [SPREADS] });
    expect(receivers()).toEqual(['wh_1']);
    harness.command('webhook.delete', { webhookId: 'wh_1' }, acme);
    expect(receivers()).toEqual([]);
  });

  it('of the sandbox gets no events', () => {
    const sandboxed = { ...acme, keyId: 'sandboxed', userId: 'u', sandbox: true };
    const secret = { algorithm: 'scrypt', N: 2, r: 1, p: 1, salt: '', hash: '' };
    const key = { keyId: 'sandboxed', name: 's', userId: 'u', scopes: ['admin'], sandbox: true, secret };
    harness.command('key.create', key, acme);
    harness.webhook(sandboxed, 'wh_1', SPREADS);
    expect(sendSpread()).toEqual([]);
    // It still gets a requested sample.
    const test = { webhookId: 'wh_1', eventType: null, deliveryId: 'dlv_t', eventId: 'we_t' };
    expect(webhooksOf(deliveriesOf(harness.command('webhook.test', test, sandboxed)))).toEqual(['wh_1']);
  });
});

describe('market-wide events', () => {
  it('contain a spread with exact decimals, and every record is an event of its own', () => {
    harness.webhook(acme, 'wh_1', SPREADS);
    const [one] = sendSpread();
    const [two] = sendSpread();
    const [three] = sendSpread({ receivedAt: 3_000 });
    expect(new Set([one!.eventId, two!.eventId, three!.eventId]).size).toBe(3);
    expect(dataOf(one!)).toEqual({
      universalId: 'evt_1',
      legs: [{ provider: 'venue_b', marketId: '0xc', yesBid: '0.4', yesAsk: '0.6', yesMid: '0.5' }],
      at: '1970-01-01T00:00:02.000Z',
    });
  });

  it('have ids that do not depend on the subscribers', () => {
    sendSpread();
    harness.webhook(acme, 'wh_1', SPREADS);
    const [late] = sendSpread();
    const other = createOrganizationsProbe();
    other.organization('org_acme');
    other.webhook(acme, 'wh_1', SPREADS);
    const [, early] = [spread, spread].flatMap((value) => deliveriesOf(other.probe.send(spreadTopic, 'evt_1', value)));
    expect(late!.eventId).toBe(early!.eventId);
  });

  it('contain an arbitrage', () => {
    harness.webhook(acme, 'wh_1', ARBITRAGE);
    const [delivery] = deliveriesOf(harness.probe.send(arbitrageTopic, 'evt_1', arbitrage));
    expect(dataOf(delivery!)).toMatchObject({
      kind: 'negation_pair',
      netEdge: '0.01',
      second: { provider: 'venue_a_outcome', marketId: '#70', price: '0.58', fee: '0.01' },
    });
  });

  it('reach webhooks with a filter for an event that was merged into another', () => {
    harness.webhook(acme, 'wh_1', { ...SPREADS, filters: { universalIds: ['evt_0'] } });
    expect(sendSpread()).toEqual([]);
    harness.probe.send(eventTopic, 'evt_0', eventOf('evt_0', 'evt_1'));
    expect(webhooksOf(sendSpread())).toEqual(['wh_1']);
    harness.probe.remove(eventTopic, 'evt_0', 2_500);
    expect(sendSpread()).toEqual([]);
  });
});

describe('commands', () => {
  it('are recorded once in the audit logs of their organizations, unless they are refused', () => {
    const idempotency = { key: 'i', route: 'POST /v1/me/wallets', bodyDigest: 'd' };
    const bind = () => {
      const body = { walletId: 'wal_1', provider: 'venue_b', address: MAKER, label: '' };
      return emittedTo(harness.command('wallet.bind', body, acme, { idempotency }), auditTopic);
    };
    const [entry, ...more] = bind();
    expect(more).toEqual([]);
    expect(entry).toMatchObject({
      orgId: 'org_acme',
      receivedAt: 1_000,
      at: WALL_MS + 3,
      action: 'me.wallet.create',
      keyId: 'org_acme-admin',
      userId: 'admin',
      targetId: 'wal_1',
    });
    expect(bind()).toEqual([]);
    expect(harness.command('wallet.unbind', { walletId: 'wal_none' }, acme)).toEqual([]);
    const renamed = harness.command('organization.change', { organizationId: 'org_acme', name: 'n' }, OPERATOR);
    expect(emittedTo(renamed, auditTopic)).toMatchObject([
      { orgId: 'org_first', keyId: 'first' },
      { orgId: 'org_acme', keyId: null, userId: null },
    ]);
  });

  it('deliver a sample of the type for a test, once per Idempotency-Key', () => {
    harness.webhook(acme, 'wh_1', SPREADS, TRADES);
    const idempotency = { key: 'i', route: 'POST /v1/webhooks/wh_1/test', bodyDigest: 'd' };
    const test = (eventType: string | null, options = {}) => {
      const body = { webhookId: 'wh_1', eventType, deliveryId: 'dlv_t', eventId: 'we_t' };
      return deliveriesOf(harness.command('webhook.test', body, acme, options));
    };
    const [delivery] = test(null, { idempotency });
    expect(delivery).toMatchObject({ id: 'dlv_t', eventId: 'we_t', eventType: 'event.spread.changed', test: true });
    expect(delivery).toMatchObject({ orgId: 'org_acme', receivedAt: 1_000, createdAt: WALL_MS + 4 });
    expect(dataOf(delivery!)).toEqual(findEventType('event.spread.changed', 1)!.sample);
    expect(test(null, { idempotency })).toEqual([]);
    expect(test('broker.trade.executed')).toMatchObject([{ eventType: 'broker.trade.executed' }]);
    expect(test('event.anomaly.detected')).toEqual([]);
  });

  it('redeliver the original bytes with the id of the event', () => {
    harness.webhook(acme, 'wh_1', SPREADS);
    const [first] = sendSpread();
    const { id: deliveryId, eventId, eventType, body } = first!;
    const redeliver = (webhookId: string) =>
      deliveriesOf(
        harness.command(
          'webhook.redeliver',
          { webhookId, deliveryId, newDeliveryId: 'dlv_2', eventId, eventType, body },
          acme,
        ),
      );
    expect(redeliver('wh_1')).toEqual([{ ...first, id: 'dlv_2', receivedAt: 1_000, createdAt: WALL_MS + 4 }]);
    expect(redeliver('wh_other')).toEqual([]);
  });

  it('send every delivery of a recovery again in order, once, with the bytes and the id of its event', async () => {
    harness.webhook(acme, 'wh_1', SPREADS);
    const failed = Array.from({ length: 10_000 }, (_, nth) => ({
      deliveryId: `dlv_${nth}`,
      eventId: `we_${nth}`,
      eventType: 'event.spread.changed',
      body: `{"id":"we_${nth}","data":"é"}`,
    }));
    const body = { webhookId: 'wh_1', count: failed.length, deliveries: await compressDeliveries(failed) };
    const idempotency = { key: 'i', route: 'POST /v1/webhooks/wh_1/recover', bodyDigest: 'd' };
    const recover = () => deliveriesOf(harness.command('webhook.recover', body, acme, { idempotency }));
    const sent = recover();
    expect(sent.map(({ eventId, eventType, body }) => ({ eventId, eventType, body }))).toEqual(
      failed.map(({ deliveryId: _, ...event }) => event),
    );
    expect(sent[0]).toMatchObject({ orgId: 'org_acme', webhookId: 'wh_1', receivedAt: 1_000, test: false });
    expect(new Set(sent.map(({ id }) => id)).size).toBe(failed.length);
    expect(sent[0]!.id).toMatch(/^dlv_[0-9a-f]{32}$/);
    expect(recover()).toEqual([]);
  });
});
