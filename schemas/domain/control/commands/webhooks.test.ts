import { beforeEach, describe, expect, it } from 'vitest';
import {
  type ControlFixture,
  createControlFixture,
  HOUR_MS,
  refusal,
  resultOf,
  signingSecret,
  WALL_ISO,
  WALL_MS,
} from '../control.fixture.ts';
import type { Actor } from '../envelope.ts';
import { SUBSCRIPTIONS_BYTES_MAX } from '../fields.ts';
import { signingSecrets, webhookOf, webhooksSubscribedTo } from '../lookups.ts';
import { reduceControl } from '../reduce.ts';
import { type WebhookRow, webhookRows } from '../rows.ts';
import { WEBHOOKS_MAX } from './create-webhook.ts';
import { RECOVERED_DELIVERIES_MAX, RECOVERED_LENGTH_MAX } from './recover-webhook.ts';
import { REDELIVERED_BODY_MAX } from './redeliver-webhook.ts';

const SUBSCRIPTIONS = [{ eventType: 'event.spread', version: 1, filters: { brokers: ['venue_a'] } }];
const TEST = { eventType: null, deliveryId: 'dlv_t', eventId: 'we_t' };
const RECOVERY = { count: 2, deliveries: 'compressed' };
const REDELIVERY = {
  deliveryId: 'dlv_1',
  newDeliveryId: 'dlv_2',
  eventId: 'we_1',
  eventType: 'event.spread',
  body: '{"id":"we_1"}',
};
let control: ControlFixture;
let acme: Actor;
beforeEach(() => {
  control = createControlFixture();
  acme = control.organization('org_acme');
});
const create = (as: Actor, webhookId = 'wh_1') =>
  control.send(
    'webhook.create',
    { webhookId, url: 'https://a.example', subscriptions: SUBSCRIPTIONS, secret: signingSecret('a') },
    { as },
  );
const change = (body: object, wallTime = WALL_MS + HOUR_MS) =>
  control.send('webhook.change', { webhookId: 'wh_1', ...body }, { as: acme, wallTime });
const disable = (updatedAt: string, reason = 'failing') =>
  control.send('webhook.disable', { webhookId: 'wh_1', updatedAt, reason }, { as: null, wallTime: WALL_MS + HOUR_MS });
const subscribed = () => webhooksSubscribedTo(control.state, 'event.spread').map(({ id }) => id);

describe('a webhook', () => {
  it('is created enabled; no row, verdict or audit entry contains its secret', () => {
    const row = {
      id: 'wh_1',
      url: 'https://a.example',
      subscriptions: SUBSCRIPTIONS,
      enabled: true,
      disabledReason: null,
      createdAt: WALL_ISO,
      updatedAt: WALL_ISO,
    };
    const verdict = create(acme);
    expect(resultOf(verdict)).toEqual(row);
    expect(webhookRows(control.state, acme)).toEqual([row]);
    expect(JSON.stringify([verdict, webhookRows(control.state, acme)])).not.toContain('whsec_');
    expect(signingSecrets(webhookOf(control.state, acme, 'wh_1')!, WALL_MS)).toEqual([signingSecret('a')]);
    expect(subscribed()).toEqual(['wh_1']);
  });

  it('is one of at most a hundred, with the sandbox counted separately', () => {
    for (let n = 0; n < WEBHOOKS_MAX; n += 1) resultOf(create(acme, `wh_${n}`));
    expect(create(acme, 'wh_more')).toMatchObject(refusal('conflict', '100'));
    expect(create(control.key(acme, 'sandboxed', { sandbox: true }), 'wh_test').ok).toBe(true);
    control.send('webhook.delete', { webhookId: 'wh_7' }, { as: acme });
    expect(create(acme, 'wh_more').ok).toBe(true);
  });

  it('has subscriptions of at most 32 KiB as JSON, when it is created and when it is changed', () => {
    const withText = (text: string) => [{ eventType: 'e', version: 1, filters: { text } }];
    const room = SUBSCRIPTIONS_BYTES_MAX - JSON.stringify(withText('')).length;
    const body = { webhookId: 'wh_1', url: 'https://a', secret: signingSecret('a') };
    const make = (subscriptions: object) => control.send('webhook.create', { ...body, subscriptions }, { as: acme });
    const long = ['x'.repeat(room + 1), `${'x'.repeat(room - 1)}é`].map(withText);
    for (const subscriptions of long)
      expect(make(subscriptions)).toMatchObject(
        refusal('validation_failed', 'subscriptions: must have at most 32768 bytes'),
      );
    expect(make(withText('x'.repeat(room))).ok).toBe(true);
    for (const subscriptions of long)
      expect(change({ subscriptions })).toMatchObject(refusal('validation_failed', 'subscriptions: must have'));
    expect(webhookOf(control.state, acme, 'wh_1')!.subscriptions).toEqual(withText('x'.repeat(room)));
    expect(change({ subscriptions: withText('x'.repeat(room)) }).ok).toBe(true);
  });

  it('has no filters that are nested too deeply to be serialized', () => {
    const nested = (levels: number) => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    const make = (filters: string) => {
      const start = { actor: acme, webhookId: 'wh_1', url: 'https://a', secret: signingSecret('a') };
      const subscriptions = [{ eventType: 'e', version: 1, filters: 'FILTERS' }];
      const body = JSON.stringify({ ...start, subscriptions }).replace('"FILTERS"', filters);
      const command = { id: `${filters.length}`, receivedAt: 0, wallTime: WALL_MS, type: 'webhook.create', body };
      return reduceControl(control.state, command);
    };
    for (const levels of [8, 100_000])
      expect(make(nested(levels))).toMatchObject(refusal('validation_failed', 'subscriptions: '));
    expect(make(nested(7)).ok).toBe(true);
  });

  it.each([
    ['no subscription', { subscriptions: [] }, 'subscriptions'],
    ['a version that is no integer', { subscriptions: [{ eventType: 'e', version: 1.5 }] }, 'subscriptions.0.version'],
    [
      'filters that are no object',
      { subscriptions: [{ eventType: 'e', version: 1, filters: 1 }] },
      'subscriptions.0.filters',
    ],
    ['no URL', { url: '' }, 'url'],
    ['a secret of another form', { secret: 'whsec_short' }, 'secret'],
  ])('with %s is refused, naming the field', (_name, more, field) => {
    const body = { webhookId: 'wh_1', url: 'https://a', subscriptions: SUBSCRIPTIONS, secret: signingSecret('a') };
    const verdict = control.send('webhook.create', { ...body, ...more }, { as: acme });
    expect(verdict).toMatchObject(refusal('validation_failed', `${field}:`));
    expect(control.state.webhooks.size).toBe(0);
  });

  it('changes only in the given fields', () => {
    create(acme);
    const subscriptions = [{ eventType: 'event.arbitrage', version: 1 }];
    expect(resultOf(change({ url: 'https://b.example' }))).toMatchObject({
      url: 'https://b.example',
      subscriptions: SUBSCRIPTIONS,
      enabled: true,
      createdAt: WALL_ISO,
      updatedAt: '2026-03-01T01:00:00.000Z',
    });
    expect(resultOf(change({ subscriptions }))).toMatchObject({ url: 'https://b.example', subscriptions });
    expect(subscribed()).toEqual([]);
    expect(webhooksSubscribedTo(control.state, 'event.arbitrage').map(({ url }) => url)).toEqual(['https://b.example']);
    expect(signingSecrets(webhookOf(control.state, acme, 'wh_1')!, WALL_MS)).toEqual([signingSecret('a')]);
  });

  it('is disabled by hand and enabled again', () => {
    create(acme);
    expect(resultOf(change({ enabled: false }))).toMatchObject({ enabled: false, disabledReason: 'manual' });
    expect(subscribed()).toEqual([]);
    expect(resultOf(change({ enabled: true }))).toMatchObject({ enabled: true, disabledReason: null });
    expect(subscribed()).toEqual(['wh_1']);
  });

  it('of another owner looks like one that does not exist', () => {
    create(acme);
    const sandboxed = control.key(acme, 'sandboxed', { sandbox: true });
    const commands: [string, object][] = [
      ['webhook.change', { enabled: false }],
      ['webhook.delete', {}],
      ['webhook.rotate_secret', { secret: signingSecret('b') }],
      ['webhook.test', TEST],
      ['webhook.redeliver', REDELIVERY],
      ['webhook.recover', RECOVERY],
    ];
    for (const as of [control.operator, sandboxed])
      for (const [type, body] of commands) {
        const foreign = control.send(type, { webhookId: 'wh_1', ...body }, { as });
        expect(foreign).toMatchObject(refusal('not_found'));
        expect(foreign).toEqual(control.send(type, { webhookId: 'wh_none', ...body }, { as }));
        expect(webhookRows(control.state, as)).toEqual([]);
      }
    expect(webhookRows(control.state, acme)).toMatchObject([{ enabled: true }]);
  });

  it('does not exist after it was deleted', () => {
    create(acme);
    expect(control.send('webhook.delete', { webhookId: 'wh_1' }, { as: acme })).toMatchObject({
      ok: true,
      result: null,
    });
    expect(webhookRows(control.state, acme)).toEqual([]);
    expect(subscribed()).toEqual([]);
    expect(change({ enabled: true })).toMatchObject(refusal('not_found'));
  });

  it('of the sandbox receives no live event', () => {
    create(control.key(acme, 'sandboxed', { sandbox: true }));
    expect(subscribed()).toEqual([]);
  });
});

describe('the sender', () => {
  it.each(['gone', 'failing'])('disables a webhook as %s, and the audit log of its owner has an entry', (reason) => {
    create(acme);
    const verdict = disable(WALL_ISO, reason);
    expect(resultOf(verdict)).toMatchObject({ enabled: false, disabledReason: reason });
    expect(verdict).toMatchObject({ audit: [{ orgId: 'org_acme', action: 'webhook.disable', keyId: null }] });
    expect(subscribed()).toEqual([]);
  });

  it('does not disable a webhook that its owner changed since the attempt', () => {
    create(acme);
    const { updatedAt } = resultOf<WebhookRow>(change({ url: 'https://b.example' }));
    expect(disable(WALL_ISO)).toMatchObject({ result: { enabled: true }, audit: [] });
    expect(resultOf(disable(updatedAt))).toMatchObject({ enabled: false });
  });

  it('does not replace the reason of a disabled webhook, and neither does its owner', () => {
    create(acme);
    const { updatedAt } = resultOf<WebhookRow>(disable(WALL_ISO, 'gone'));
    expect(resultOf(disable(updatedAt, 'failing'))).toMatchObject({ disabledReason: 'gone' });
    expect(resultOf(change({ enabled: false }))).toMatchObject({ disabledReason: 'gone' });
  });

  it('is refused for a webhook that was deleted', () => {
    create(acme);
    control.send('webhook.delete', { webhookId: 'wh_1' }, { as: acme });
    expect(disable(WALL_ISO)).toMatchObject(refusal('not_found'));
  });
});

describe('a rotation', () => {
  const rotate = (character: string, wallTime: number) =>
    resultOf(
      control.send(
        'webhook.rotate_secret',
        { webhookId: 'wh_1', secret: signingSecret(character) },
        { as: acme, wallTime },
      ),
    );
  const signing = (at: number) =>
    signingSecrets(webhookOf(control.state, acme, 'wh_1')!, at).map((secret) => secret.charAt(6));

  it('lets the previous secret sign for 24 hours, the new one first', () => {
    create(acme);
    expect(JSON.stringify(rotate('b', WALL_MS))).not.toContain('whsec_');
    expect(signing(WALL_MS)).toEqual(['b', 'a']);
    expect(signing(WALL_MS + 24 * HOUR_MS - 1)).toEqual(['b', 'a']);
    expect(signing(WALL_MS + 24 * HOUR_MS)).toEqual(['b']);
  });

  it('leaves at most two secrets', () => {
    create(acme);
    rotate('b', WALL_MS);
    rotate('c', WALL_MS + HOUR_MS);
    expect(signing(WALL_MS + 2 * HOUR_MS)).toEqual(['c', 'b']);
    expect(webhookOf(control.state, acme, 'wh_1')!.secrets).toHaveLength(2);
  });
});

describe('a test', () => {
  const test = (body: object = {}) =>
    control.send('webhook.test', { webhookId: 'wh_1', ...TEST, ...body }, { as: acme });

  it('is of the first subscribed type, or of the requested one, and has no audit entry', () => {
    create(acme);
    change({ subscriptions: [...SUBSCRIPTIONS, { eventType: 'event.arbitrage', version: 1 }] });
    const result = { webhookId: 'wh_1', deliveryId: 'dlv_t', eventId: 'we_t', eventType: 'event.spread', version: 1 };
    expect(test()).toMatchObject({ ok: true, result, audit: [] });
    expect(resultOf(test({ eventType: 'event.arbitrage' }))).toEqual({ ...result, eventType: 'event.arbitrage' });
    expect(test({ eventType: 'event.other' })).toMatchObject(refusal('validation_failed', 'eventType:'));
  });

  it('is refused with a conflict on a disabled webhook', () => {
    create(acme);
    change({ enabled: false });
    expect(test()).toMatchObject(refusal('conflict'));
  });
});

describe('a redelivery', () => {
  const redeliver = (body: object = {}) =>
    control.send('webhook.redeliver', { webhookId: 'wh_1', ...REDELIVERY, ...body }, { as: acme });

  it('is a new delivery with the same event id; its body is not stored', () => {
    create(acme);
    const result = { webhookId: 'wh_1', deliveryId: 'dlv_2', eventId: 'we_1', eventType: 'event.spread' };
    const verdict = redeliver();
    expect(verdict).toMatchObject({ ok: true, audit: [] });
    expect(resultOf(verdict)).toEqual(result);
  });

  it('is refused with a conflict on a disabled webhook', () => {
    create(acme);
    change({ enabled: false });
    expect(redeliver()).toMatchObject(refusal('conflict'));
  });

  it('has a body of limited size', () => {
    create(acme);
    expect(redeliver({ body: 'x'.repeat(REDELIVERED_BODY_MAX) }).ok).toBe(true);
    const verdict = redeliver({ body: 'x'.repeat(REDELIVERED_BODY_MAX + 1) });
    expect(verdict).toMatchObject(refusal('validation_failed', 'body:'));
  });
});

describe('a recovery', () => {
  const recover = (body: object = {}) =>
    control.send('webhook.recover', { webhookId: 'wh_1', ...RECOVERY, ...body }, { as: acme });

  it('is in the audit log; its result has the number of deliveries, not their bodies', () => {
    create(acme);
    const verdict = recover();
    expect(verdict).toMatchObject({ audit: [{ action: 'webhook.recover', targetId: 'wh_1', orgId: acme.orgId }] });
    expect(resultOf(verdict)).toEqual({ webhookId: 'wh_1', deliveries: 2 });
  });

  it('is refused with a conflict on a disabled webhook', () => {
    create(acme);
    change({ enabled: false });
    expect(recover()).toMatchObject(refusal('conflict'));
  });

  it('has a limited number of deliveries and a limited length', () => {
    create(acme);
    expect(recover({ count: RECOVERED_DELIVERIES_MAX, deliveries: 'x'.repeat(RECOVERED_LENGTH_MAX) }).ok).toBe(true);
    expect(recover({ count: RECOVERED_DELIVERIES_MAX + 1 })).toMatchObject(refusal('validation_failed', 'count:'));
    const tooLong = { deliveries: 'x'.repeat(RECOVERED_LENGTH_MAX + 1) };
    expect(recover(tooLong)).toMatchObject(refusal('validation_failed', 'deliveries:'));
  });
});
