/** Tests the REST part of webhooks (contract, Webhooks) with a real log. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EVENT_TYPES } from '#schemas/webhooks/event-types';
import { openTestService } from '../../../testing/test-service.fixture.ts';
import {
  BODY,
  NOT_FOUND,
  openWebhooksApi,
  PATH,
  refusalOf,
  SPREADS,
  TRADES,
  type WebhooksApi,
} from './webhooks.fixture.ts';

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const LONG_IDS = Array.from({ length: 600 }, () => `evt_${'a'.repeat(64)}`);
const TOO_LONG = `evt_${'a'.repeat(65)}`;

let api: WebhooksApi;
beforeAll(async () => {
  api = await openWebhooksApi();
});
afterAll(() => api.close());

describe('the event catalog', () => {
  it('lists every type with the JSON Schemas of its filters and its data', async () => {
    const { status, body } = await api.send('GET', '/event-catalog');
    expect([status, Object.keys(body)]).toEqual([200, ['eventTypes']]);
    expect(body.eventTypes.map(({ type }: { type: string }) => type)).toEqual(EVENT_TYPES.map(({ type }) => type));
    const [trades] = body.eventTypes;
    expect(Object.keys(trades)).toEqual(['type', 'version', 'description', 'filters', 'schema', 'delivering']);
    expect(trades).toMatchObject({ type: 'broker.trade.executed', version: 1, delivering: true });
    expect(trades.filters).toMatchObject({
      type: 'object',
      properties: { brokers: { type: 'array', items: { enum: expect.arrayContaining(['venue_a', 'venue_b']) } } },
      additionalProperties: false,
    });
    expect(trades.filters.required).toBeUndefined();
    expect(trades.schema).toMatchObject({
      type: 'object',
      properties: { broker: { enum: expect.arrayContaining(['venue_a', 'venue_b']) }, price: { type: 'string' } },
    });
    expect(trades.schema.required).toContain('wallets');
    const undelivered = body.eventTypes.filter(({ delivering }: { delivering: boolean }) => !delivering);
    expect(undelivered.map(({ type }: { type: string }) => type)).toEqual(
      EVENT_TYPES.filter(({ delivering }) => !delivering).map(({ type }) => type),
    );
  });
});

describe('a webhook', () => {
  it('can be created, listed, changed and deleted, and its secret is returned once', async () => {
    const created = await api.send('POST', '', { body: BODY });
    expect(created.status).toBe(201);
    const { secret, ...row } = created.body;
    expect(row).toEqual({
      id: expect.stringMatching(/^wh_/),
      url: BODY.url,
      subscriptions: BODY.subscriptions,
      enabled: true,
      disabledReason: null,
      createdAt: expect.stringMatching(ISO),
      updatedAt: row.createdAt,
    });
    expect(Buffer.from(/^whsec_([\w+/]{43}=)$/.exec(secret)![1]!, 'base64')).toHaveLength(32);
    expect((await api.send('GET', '')).body).toEqual({ webhooks: [row] });
    expect((await api.send('GET', `/${row.id}`)).body).toEqual(row);

    const subscriptions = [{ ...SPREADS, filters: { universalIds: ['evt_1'] } }];
    const changed = await api.send('PATCH', `/${row.id}`, { body: { url: 'https://b.example.com/', subscriptions } });
    expect(changed.status).toBe(200);
    expect(changed.body).toEqual({
      ...row,
      url: 'https://b.example.com/',
      subscriptions,
      updatedAt: expect.stringMatching(ISO),
    });
    const disabled = await api.send('PATCH', `/${row.id}`, { body: { enabled: false } });
    expect(disabled.body).toMatchObject({ enabled: false, disabledReason: 'manual', subscriptions });
    const enabled = await api.send('PATCH', `/${row.id}`, { body: { enabled: true } });
    expect(enabled.body).toMatchObject({ enabled: true, disabledReason: null });

    const gone = await api.send('DELETE', `/${row.id}`);
    expect([gone.status, gone.text]).toEqual([204, '']);
    for (const method of ['GET', 'DELETE']) expect(await refusalOf(api.send(method, `/${row.id}`))).toEqual(NOT_FOUND);
    expect((await api.send('GET', '')).body).toEqual({ webhooks: [] });
  });

  it('has a unique secret, which a replayed response does not contain', async () => {
    const headers = { 'idempotency-key': 'create' };
    const first = await api.send('POST', '', { body: BODY, headers });
    const again = await api.send('POST', '', { body: BODY, headers });
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, 'true']);
    expect(again.body).toEqual({ ...first.body, secret: null });
    const second = await api.create();
    expect(second.secret).not.toBe(first.body.secret);
    const listed = (await api.send('GET', '')).body.webhooks;
    expect(listed.filter(({ id }: { id: string }) => id === first.body.id)).toHaveLength(1);
  });

  it('can get a new secret, which is returned once', async () => {
    const { id, secret, ...row } = await api.create();
    const headers = { 'idempotency-key': 'rotate' };
    const rotated = await api.send('POST', `/${id}/secret`, { headers });
    expect(rotated.status).toBe(201);
    expect(rotated.body).toEqual({
      id,
      ...row,
      updatedAt: expect.stringMatching(ISO),
      secret: expect.stringMatching(/^whsec_[\w+/]{43}=$/),
    });
    expect(rotated.body.secret).not.toBe(secret);
    expect((await api.send('POST', `/${id}/secret`, { headers })).body).toEqual({ ...rotated.body, secret: null });
    const secrets = api.service.control.state.webhooks.get(id)!.secrets.map((entry) => entry.secret);
    expect(secrets).toEqual([rotated.body.secret, secret]);
  });

  it('requires the scope read to read and admin to change', async () => {
    const { id } = await api.create();
    const reader = (await api.service.key(api.acme.token, ['read'])).token;
    const admin = (await api.service.key(api.acme.token, ['admin'])).token;
    for (const path of ['', `/${id}`, `/${id}/deliveries`, '/event-catalog']) {
      expect((await api.send('GET', path, { token: reader })).status, path).toBe(200);
      expect((await api.send('GET', path, { token: admin })).body.error.code, path).toBe('forbidden_scope');
    }
    for (const [method, path, body] of [
      ['POST', '', BODY],
      ['PATCH', `/${id}`, {}],
      ['POST', `/${id}/test`, {}],
      ['POST', `/${id}/secret`, undefined],
      ['POST', `/${id}/deliveries/dlv_1/redeliver`, undefined],
      ['POST', `/${id}/recover`, { since: '0' }],
      ['DELETE', `/${id}`, undefined],
    ] as const) {
      expect((await api.send(method, path, { token: reader, body })).body.error.code, path).toBe('forbidden_scope');
      expect((await api.send(method, path, { token: admin, body })).status, path).not.toBe(403);
    }
  });

  it('of another organization, or a live one for a sandbox key, is answered like an unknown id', async () => {
    const { id } = await api.create();
    const before = (await api.send('GET', `/${id}`)).body;
    for (const token of [api.other.token, api.sandbox])
      for (const [method, path, body] of [
        ['GET', '', undefined],
        ['PATCH', '', { enabled: false }],
        ['DELETE', '', undefined],
        ['POST', '/test', {}],
        ['POST', '/secret', undefined],
        ['GET', '/deliveries', undefined],
        ['POST', '/deliveries/dlv_1/redeliver', undefined],
        ['POST', '/recover', { since: '0' }],
      ] as const) {
        expect(await refusalOf(api.send(method, `/${id}${path}`, { token, body })), path).toEqual(NOT_FOUND);
        expect(await refusalOf(api.send(method, `/wh_none${path}`, { token, body })), path).toEqual(NOT_FOUND);
      }
    expect((await api.send('GET', `/${id}`)).body).toEqual(before);
  });

  it('uses no quota', async () => {
    const { headers } = await api.send('GET', '');
    expect(Object.keys(headers).filter((name) => /quota|ratelimit/.test(name))).toEqual([]);
  });

  it('is refused with a conflict beyond one hundred per organization', async () => {
    const { token } = await api.service.organization('Full');
    for (let n = 0; n < 100; n += 1) await api.create(token);
    const [status, code] = await refusalOf(api.send('POST', '', { token, body: BODY }));
    expect([status, code]).toEqual([409, 'conflict']);
  });
});

describe('a webhook URL', () => {
  const BAD_URLS = [
    'http://hooks.example.com/',
    'ftp://hooks.example.com/',
    'hooks.example.com',
    '/relative',
    'https://user:password@hooks.example.com/',
    'https://127.0.0.1/',
    'https://0x7f000001/',
    'https://2130706433/',
    'https://[::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://10.1.2.3/',
    'https://169.254.169.254/latest/meta-data',
    'https://localhost/',
    'https://api.service.internal/',
    'https://hooks.example.com:25/',
    `https://hooks.example.com/${'x'.repeat(2_048)}`,
    '',
  ];
  it.each(BAD_URLS)('that is not allowed is refused on creation and on a change: %.60s', async (url) => {
    const { id } = await api.create();
    const { webhooks } = (await api.send('GET', '')).body;
    for (const response of [
      api.send('POST', '', { body: { ...BODY, url } }),
      api.send('PATCH', `/${id}`, { body: { url, enabled: false } }),
    ])
      expect(await refusalOf(response)).toEqual([400, 'validation_failed', expect.stringMatching(/^url: /)]);
    expect((await api.send('GET', '')).body).toEqual({ webhooks });
    await api.send('DELETE', `/${id}`);
  });

  it('may be plain http to loopback if the test setting allows it, and nothing else', async () => {
    const lenient = await openTestService({ targetRules: { allowLoopback: true } });
    try {
      const post = async (url: string) => (await lenient.request('POST', PATH, { body: { ...BODY, url } })).status;
      expect(await post('http://127.0.0.1:9000/hook')).toBe(201);
      expect(await post('http://10.0.0.1:9000/hook')).toBe(400);
      expect(await post('http://hooks.example.com/')).toBe(400);
    } finally {
      await lenient.close();
    }
  });
});

describe('subscriptions', () => {
  it.each([
    ['subscriptions', [], 'too small'],
    ['subscriptions', undefined, 'not a list'],
    ['subscriptions.0.eventType', [{ eventType: 'event.spread', version: 1 }], 'an unknown type'],
    ['subscriptions.0.eventType', [{ version: 1 }], 'no type'],
    ['subscriptions.1.version', [SPREADS, { ...SPREADS, version: 2 }], 'an unknown version'],
    ['subscriptions.0.version', [{ eventType: SPREADS.eventType }], 'no version'],
    [
      'subscriptions.0.filters.brokers',
      [{ ...SPREADS, filters: { brokers: ['venue_a'] } }],
      'a filter of another type',
    ],
    ['subscriptions.0.filters.brokers.0', [{ ...TRADES, filters: { brokers: ['venue_c'] } }], 'an unknown venue'],
    ['subscriptions.0.filters.brokers', [{ ...TRADES, filters: { brokers: [] } }], 'no venue'],
    ['subscriptions.0.filters', [{ ...TRADES, filters: [] }], 'filters that are not an object'],
    ['subscriptions.0.filter', [{ ...TRADES, filter: { brokers: ['venue_a'] } }], 'a misspelt field'],
    ['subscriptions', Array.from({ length: 101 }, () => SPREADS), 'too many'],
    ['subscriptions', [{ ...SPREADS, filters: { universalIds: LONG_IDS } }], 'too long together'],
    ['subscriptions.0.filters.universalIds.0', [{ ...SPREADS, filters: { universalIds: [TOO_LONG] } }], 'a long id'],
  ])('with an error in %s are refused: %# %s', async (field, subscriptions, _name) => {
    const { id } = await api.create();
    const expected = [400, 'validation_failed', expect.stringMatching(new RegExp(`^${field}: (?!must be given once)`))];
    expect(await refusalOf(api.send('POST', '', { body: { url: BODY.url, subscriptions } }))).toEqual(expected);
    if (subscriptions)
      expect(await refusalOf(api.send('PATCH', `/${id}`, { body: { subscriptions } }))).toEqual(expected);
    await api.send('DELETE', `/${id}`);
  });

  it('can be of every type of the catalog, even if it is not delivered yet', async () => {
    const subscriptions = EVENT_TYPES.map(({ type, version }) => ({ eventType: type, version, filters: {} }));
    const created = await api.send('POST', '', { body: { url: BODY.url, subscriptions } });
    expect([created.status, created.body.subscriptions]).toEqual([201, subscriptions]);
  });

  it.each([
    ['body', []],
    ['name', { ...BODY, name: 'x' }],
    ['enabled', { ...BODY, enabled: true }],
  ])('cannot come with an unknown field or a wrong body: %s', async (field, body) => {
    expect((await refusalOf(api.send('POST', '', { body })))[2]).toContain(`${field}: `);
  });
});

describe('a test event', () => {
  it.each([
    ['a body', {}],
    ['no body', undefined],
    ['a type', { eventType: TRADES.eventType }],
  ])('with %s is accepted', async (_name, body) => {
    const { id } = await api.create();
    const response = await api.send('POST', `/${id}/test`, { body });
    expect(response.status).toBe(202);
    expect(response.body).toEqual({
      deliveryId: expect.stringMatching(/^dlv_/),
      eventId: expect.stringMatching(/^we_/),
    });
  });

  it('is sent once per Idempotency-Key', async () => {
    const { id } = await api.create();
    const headers = { 'idempotency-key': 'test' };
    const first = await api.send('POST', `/${id}/test`, { headers });
    const again = await api.send('POST', `/${id}/test`, { headers });
    expect([again.status, again.body, again.headers['idempotent-replayed']]).toEqual([202, first.body, 'true']);
    expect((await api.send('POST', `/${id}/test`)).body.deliveryId).not.toBe(first.body.deliveryId);
  });

  it('of an unknown type or one that the webhook does not subscribe to is refused', async () => {
    const { id } = await api.create();
    for (const eventType of ['event.anomaly.detected', 'nothing', '', 1])
      expect(await refusalOf(api.send('POST', `/${id}/test`, { body: { eventType } }))).toEqual([
        400,
        'validation_failed',
        expect.stringMatching(/^eventType: /),
      ]);
  });

  it('for a disabled webhook is a conflict', async () => {
    const { id } = await api.create();
    await api.send('PATCH', `/${id}`, { body: { enabled: false } });
    expect((await refusalOf(api.send('POST', `/${id}/test`))).slice(0, 2)).toEqual([409, 'conflict']);
  });
});

it('logs no signing secret', () => {
  expect(api.service.logLines.join()).not.toContain('whsec_');
});
