import { beforeEach, describe, expect, it } from 'vitest';
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

let world: OrganizationsProbe;
let acme: Actor;
beforeEach(() => {
  world = createOrganizationsProbe();
  acme = world.organization('org_acme');
});
const trade = (...told: Parameters<OrganizationsProbe['trade']>) => deliveriesOf(world.trade(...told));
const tell = (changes: Partial<Spread> = {}) =>
  deliveriesOf(world.probe.send(spreadTopic, 'evt_1', { ...spread, ...changes }));
const webhooksOf = (deliveries: readonly Delivery[]) => deliveries.map(({ webhookId }) => webhookId);
/** `data` of a delivery, found to be of its type's shape. */
function dataOf({ body, eventType, eventId }: Delivery): Record<string, unknown> {
  const event = JSON.parse(body) as { id: string; type: string; data: unknown };
  expect(event).toMatchObject({ id: eventId, type: eventType, specversion: '1.0' });
  return findEventType(eventType, 1)!.data.parse(event.data) as Record<string, unknown>;
}

describe('a fill', () => {
  it('is delivered with exact decimals and the wallets it concerns', () => {
    world.webhook(acme, 'wh_1', TRADES);
    world.bind(acme, 'wal_1', TAKER, 'venue_b');
    world.bind(acme, 'wal_2', MAKER, 'venue_b');
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
  ])('names and means the fields of %s as the trade record of REST and WebSocket does', (_, one, ids) => {
    world.webhook(acme, 'wh_1', TRADES);
    world.bind(acme, 'wal_1', TAKER, one === perpTrade ? 'venue_a_perp' : 'venue_b');
    const data = dataOf(trade({}, one)[0]!);
    expect(data).toMatchObject(ids);
    // Decimals are text here and numbers there; the token and its outcome are not part of the webhook's data.
    const { price, qty, tokenId, outcome, ...shared } = toTradeRecord(one);
    expect(data).toMatchObject(shared);
  });

  it('has null for what the venue does not tell, and for a counterparty that is no address', () => {
    world.webhook(acme, 'wh_1', TRADES);
    world.bind(acme, 'wal_1', MAKER);
    const [delivery] = trade({ taker: 'somebody' }, perpTrade);
    expect(dataOf(delivery!)).toMatchObject({ usd: null, taker: null, txHash: null, broker: 'venue_a' });
  });

  it('is one event for all webhooks of an organization, and another for its reversal and its next inclusion', () => {
    world.webhook(acme, 'wh_1', TRADES);
    world.webhook(acme, 'wh_2', TRADES, SPREADS);
    world.bind(acme, 'wal_1', MAKER, 'venue_b');
    const told = [trade(), trade({ status: 'reverted' }), trade({ arrival: 2 })];
    expect(told.map(webhooksOf)).toEqual([
      ['wh_1', 'wh_2'],
      ['wh_1', 'wh_2'],
      ['wh_1', 'wh_2'],
    ]);
    for (const [one, two] of told) expect([two!.eventId, two!.body]).toEqual([one!.eventId, one!.body]);
    expect(new Set(told.map(([one]) => one!.eventId)).size).toBe(3);
    expect(new Set(told.flat().map(({ id }) => id)).size).toBe(6);
    expect(told.map(([one]) => dataOf(one!).status)).toEqual(['pending', 'reverted', 'pending']);
  });

  it('tells no organization of another: not the event, nor its id', () => {
    const other = world.organization('org_other');
    world.webhook(acme, 'wh_1', TRADES);
    world.webhook(other, 'wh_2', TRADES);
    world.bind(acme, 'wal_1', MAKER, 'venue_b');
    expect(webhooksOf(trade())).toEqual(['wh_1']);
    world.bind(other, 'wal_2', MAKER, 'venue_b');
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
  ])('is chosen by filters %j', (filters, told) => {
    world.webhook(acme, 'wh_1', { ...TRADES, filters });
    world.bind(acme, 'wal_1', MAKER, 'venue_b');
    expect(webhooksOf(trade())).toEqual(told);
  });

  it('is delivered once where several subscriptions of a webhook take it', () => {
    world.webhook(acme, 'wh_1', { ...TRADES, filters: { brokers: ['venue_a'] } }, TRADES);
    world.bind(acme, 'wal_1', MAKER, 'venue_b');
    expect(webhooksOf(trade())).toEqual(['wh_1']);
  });
});

describe('a webhook', () => {
  it('gets what it wants at that place: nothing while it is disabled or its organization suspended', () => {
    const suspend = (suspended: boolean) =>
      world.command('organization.change', { organizationId: 'org_acme', suspended }, OPERATOR);
    const change = (body: object) => world.command('webhook.change', { webhookId: 'wh_1', ...body }, acme);
    world.webhook(acme, 'wh_1', SPREADS);
    const heard = () => webhooksOf(tell());
    expect(heard()).toEqual(['wh_1']);
    change({ enabled: false });
    expect(heard()).toEqual([]);
    change({ enabled: true });
    expect(heard()).toEqual(['wh_1']);
    suspend(true);
    expect(heard()).toEqual([]);
    suspend(false);
    world.probe.restart();
    expect(heard()).toEqual(['wh_1']);
    change({ subscriptions: [{ ...SPREADS, filters: { universalIds: ['evt_other'] } }] });
    expect(heard()).toEqual([]);
    change({ subscriptions: [{ ...SPREADS, version: 2 }] });
    expect(heard()).toEqual([]);
    change({ subscriptions: [SPREADS] });
    expect(heard()).toEqual(['wh_1']);
    world.command('webhook.delete', { webhookId: 'wh_1' }, acme);
    expect(heard()).toEqual([]);
  });

  it('of the sandbox gets none', () => {
    const sandboxed = { ...acme, keyId: 'sandboxed', userId: 'u', sandbox: true };
    const secret = { algorithm: 'scrypt', N: 2, r: 1, p: 1, salt: '', hash: '' };
    const key = { keyId: 'sandboxed', name: 's', userId: 'u', scopes: ['admin'], sandbox: true, secret };
    world.command('key.create', key, acme);
    world.webhook(sandboxed, 'wh_1', SPREADS);
    expect(tell()).toEqual([]);
    // But the sample that it asks for.
    const test = { webhookId: 'wh_1', eventType: null, deliveryId: 'dlv_t', eventId: 'we_t' };
    expect(webhooksOf(deliveriesOf(world.command('webhook.test', test, sandboxed)))).toEqual(['wh_1']);
  });
});

describe('market-wide events', () => {
  it('tell a spread with exact decimals; every telling is an event of its own', () => {
    world.webhook(acme, 'wh_1', SPREADS);
    const [one] = tell();
    const [two] = tell();
    const [three] = tell({ receivedAt: 3_000 });
    expect(new Set([one!.eventId, two!.eventId, three!.eventId]).size).toBe(3);
    expect(dataOf(one!)).toEqual({
      universalId: 'evt_1',
      legs: [{ provider: 'venue_b', marketId: '0xc', yesBid: '0.4', yesAsk: '0.6', yesMid: '0.5' }],
      at: '1970-01-01T00:00:02.000Z',
    });
  });

  it('have ids that do not depend on who listens', () => {
    tell();
    world.webhook(acme, 'wh_1', SPREADS);
    const [late] = tell();
    const other = createOrganizationsProbe();
    other.organization('org_acme');
    other.webhook(acme, 'wh_1', SPREADS);
    const [, early] = [spread, spread].flatMap((value) => deliveriesOf(other.probe.send(spreadTopic, 'evt_1', value)));
    expect(late!.eventId).toBe(early!.eventId);
  });

  it('tell an arbitrage', () => {
    world.webhook(acme, 'wh_1', ARBITRAGE);
    const [delivery] = deliveriesOf(world.probe.send(arbitrageTopic, 'evt_1', arbitrage));
    expect(dataOf(delivery!)).toMatchObject({
      kind: 'negation_pair',
      netEdge: '0.01',
      second: { provider: 'venue_a_outcome', marketId: '#70', price: '0.58', fee: '0.01' },
    });
  });

  it('reach who asked for an event that was merged into another', () => {
    world.webhook(acme, 'wh_1', { ...SPREADS, filters: { universalIds: ['evt_0'] } });
    expect(tell()).toEqual([]);
    world.probe.send(eventTopic, 'evt_0', eventOf('evt_0', 'evt_1'));
    expect(webhooksOf(tell())).toEqual(['wh_1']);
    world.probe.remove(eventTopic, 'evt_0', 2_500);
    expect(tell()).toEqual([]);
  });
});

describe('commands', () => {
  it('are told in the audit logs of those they concern, once; refused ones are not', () => {
    const idempotency = { key: 'i', route: 'POST /v1/me/wallets', bodyDigest: 'd' };
    const bind = () => {
      const body = { walletId: 'wal_1', provider: 'venue_b', address: MAKER, label: '' };
      return emittedTo(world.command('wallet.bind', body, acme, { idempotency }), auditTopic);
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
    expect(world.command('wallet.unbind', { walletId: 'wal_none' }, acme)).toEqual([]);
    const renamed = world.command('organization.change', { organizationId: 'org_acme', name: 'n' }, OPERATOR);
    expect(emittedTo(renamed, auditTopic)).toMatchObject([
      { orgId: 'org_first', keyId: 'first' },
      { orgId: 'org_acme', keyId: null, userId: null },
    ]);
  });

  it('a test delivers a sample of the type, once under its Idempotency-Key', () => {
    world.webhook(acme, 'wh_1', SPREADS, TRADES);
    const idempotency = { key: 'i', route: 'POST /v1/webhooks/wh_1/test', bodyDigest: 'd' };
    const test = (eventType: string | null, options = {}) => {
      const body = { webhookId: 'wh_1', eventType, deliveryId: 'dlv_t', eventId: 'we_t' };
      return deliveriesOf(world.command('webhook.test', body, acme, options));
    };
    const [delivery] = test(null, { idempotency });
    expect(delivery).toMatchObject({ id: 'dlv_t', eventId: 'we_t', eventType: 'event.spread.changed', test: true });
    expect(delivery).toMatchObject({ orgId: 'org_acme', receivedAt: 1_000, createdAt: WALL_MS + 4 });
    expect(dataOf(delivery!)).toEqual(findEventType('event.spread.changed', 1)!.sample);
    expect(test(null, { idempotency })).toEqual([]);
    expect(test('broker.trade.executed')).toMatchObject([{ eventType: 'broker.trade.executed' }]);
    expect(test('event.anomaly.detected')).toEqual([]);
  });

  it('a redelivery has the bytes it was given and the id of the event', () => {
    world.webhook(acme, 'wh_1', SPREADS);
    const [first] = tell();
    const { id: deliveryId, eventId, eventType, body } = first!;
    const redeliver = (webhookId: string) =>
      deliveriesOf(
        world.command(
          'webhook.redeliver',
          { webhookId, deliveryId, newDeliveryId: 'dlv_2', eventId, eventType, body },
          acme,
        ),
      );
    expect(redeliver('wh_1')).toEqual([{ ...first, id: 'dlv_2', receivedAt: 1_000, createdAt: WALL_MS + 4 }]);
    expect(redeliver('wh_other')).toEqual([]);
  });
});
