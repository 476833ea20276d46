/** Tests the REST part of webhooks (contract, Webhooks) with a real log and a real store. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Store } from '#infra/store/store';
import { REDELIVERED_BODY_MAX } from '#schemas/domain/control/commands/redeliver-webhook';
import { DELIVERY_RETENTION_MS } from '#schemas/topics/webhooks';
import { EVENT_TYPES } from '#schemas/webhooks/event-types';
import { aDelivery, anAttempt, insertAttempts, insertDeliveries } from '../../../testing/deliveries.fixture.ts';
import { openTestStore } from '../../../testing/open-test-store.fixture.ts';
import { NOON_MS } from '../../../testing/records.fixture.ts';
import { openTestService, type TestRequest, type TestService } from '../../../testing/test-service.fixture.ts';

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const PATH = '/v1/webhooks';
const URL_A = 'https://hooks.example.com/a?token=b#c';
const SPREADS = { eventType: 'event.spread.changed', version: 1 };
const TRADES = { eventType: 'broker.trade.executed', version: 1, filters: { brokers: ['venue_a'] } };
const LONG_IDS = Array.from({ length: 600 }, () => `evt_${'a'.repeat(64)}`);
const TOO_LONG = `evt_${'a'.repeat(65)}`;
const BODY = { url: URL_A, subscriptions: [SPREADS, TRADES] };

let opened: Awaited<ReturnType<typeof openTestStore>>;
let store: Store;
let service: TestService;
let acme: { id: string; token: string };
let other: { id: string; token: string };
let sandbox: string;
beforeAll(async () => {
  opened = await openTestStore();
  store = opened.store;
  service = await openTestService({ store });
  acme = await service.organization('Acme');
  other = await service.organization('Other');
  sandbox = (await service.key(acme.token, ['read', 'admin'], true)).token;
});
afterAll(async () => {
  await service.close();
  await opened.close();
});

const ask = (method: string, path: string, options: TestRequest = {}) =>
  service.request(method, `${PATH}${path}`, { token: acme.token, ...options });
const create = async (token = acme.token) => {
  const created = await ask('POST', '', { token, body: BODY });
  expect(created.status).toBe(201);
  return created.body;
};
/** Status, code and message of an error. */
const refusalOf = async (response: ReturnType<typeof ask>) => {
  const { status, body } = await response;
  return [status, body.error.code, body.error.message];
};
const NOT_FOUND = [404, 'not_found', 'no such webhook'];

describe('the event catalog', () => {
  it('lists every type with the JSON Schemas of its filters and its data', async () => {
    const { status, body } = await ask('GET', '/event-catalog');
    expect([status, Object.keys(body)]).toEqual([200, ['eventTypes']]);
    expect(body.eventTypes.map(({ type }: { type: string }) => type)).toEqual(EVENT_TYPES.map(({ type }) => type));
    const [trades] = body.eventTypes;
    expect(Object.keys(trades)).toEqual(['type', 'version', 'description', 'filters', 'schema', 'delivering']);
    expect(trades).toMatchObject({ type: 'broker.trade.executed', version: 1, delivering: true });
    expect(trades.filters).toMatchObject({
      type: 'object',
      properties: { brokers: { type: 'array', items: { enum: ['venue_a', 'venue_b'] } } },
      additionalProperties: false,
    });
    expect(trades.filters.required).toBeUndefined();
    expect(trades.schema).toMatchObject({
      type: 'object',
      properties: { broker: { enum: ['venue_a', 'venue_b'] }, price: { type: 'string' } },
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
    const created = await ask('POST', '', { body: BODY });
    expect(created.status).toBe(201);
    const { secret, ...row } = created.body;
    expect(row).toEqual({
      id: expect.stringMatching(/^wh_/),
      url: URL_A,
      subscriptions: BODY.subscriptions,
      enabled: true,
      disabledReason: null,
      createdAt: expect.stringMatching(ISO),
      updatedAt: row.createdAt,
    });
    expect(Buffer.from(/^whsec_([\w+/]{43}=)$/.exec(secret)![1]!, 'base64')).toHaveLength(32);
    expect((await ask('GET', '')).body).toEqual({ webhooks: [row] });
    expect((await ask('GET', `/${row.id}`)).body).toEqual(row);

    const subscriptions = [{ ...SPREADS, filters: { universalIds: ['evt_1'] } }];
    const changed = await ask('PATCH', `/${row.id}`, { body: { url: 'https://b.example.com/', subscriptions } });
    expect(changed.status).toBe(200);
    expect(changed.body).toEqual({
      ...row,
      url: 'https://b.example.com/',
      subscriptions,
      updatedAt: expect.stringMatching(ISO),
    });
    const disabled = await ask('PATCH', `/${row.id}`, { body: { enabled: false } });
    expect(disabled.body).toMatchObject({ enabled: false, disabledReason: 'manual', subscriptions });
    const enabled = await ask('PATCH', `/${row.id}`, { body: { enabled: true } });
    expect(enabled.body).toMatchObject({ enabled: true, disabledReason: null });

    const gone = await ask('DELETE', `/${row.id}`);
    expect([gone.status, gone.text]).toEqual([204, '']);
    for (const method of ['GET', 'DELETE']) expect(await refusalOf(ask(method, `/${row.id}`))).toEqual(NOT_FOUND);
    expect((await ask('GET', '')).body).toEqual({ webhooks: [] });
  });

  it('has a unique secret, which a replayed response does not contain', async () => {
    const headers = { 'idempotency-key': 'create' };
    const first = await ask('POST', '', { body: BODY, headers });
    const again = await ask('POST', '', { body: BODY, headers });
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, 'true']);
    expect(again.body).toEqual({ ...first.body, secret: null });
    const second = await create();
    expect(second.secret).not.toBe(first.body.secret);
    const listed = (await ask('GET', '')).body.webhooks;
    expect(listed.filter(({ id }: { id: string }) => id === first.body.id)).toHaveLength(1);
  });

  it('can get a new secret, which is returned once', async () => {
    const { id, secret, ...row } = await create();
    const headers = { 'idempotency-key': 'rotate' };
    const rotated = await ask('POST', `/${id}/secret`, { headers });
    expect(rotated.status).toBe(201);
    expect(rotated.body).toEqual({
      id,
      ...row,
      updatedAt: expect.stringMatching(ISO),
      secret: expect.stringMatching(/^whsec_[\w+/]{43}=$/),
    });
    expect(rotated.body.secret).not.toBe(secret);
    expect((await ask('POST', `/${id}/secret`, { headers })).body).toEqual({ ...rotated.body, secret: null });
    const secrets = service.control.state.webhooks.get(id)!.secrets.map((entry) => entry.secret);
    expect(secrets).toEqual([rotated.body.secret, secret]);
  });

  it('requires the scope read to read and admin to change', async () => {
    const { id } = await create();
    const reader = (await service.key(acme.token, ['read'])).token;
    const admin = (await service.key(acme.token, ['admin'])).token;
    for (const path of ['', `/${id}`, `/${id}/deliveries`, '/event-catalog']) {
      expect((await ask('GET', path, { token: reader })).status, path).toBe(200);
      expect((await ask('GET', path, { token: admin })).body.error.code, path).toBe('forbidden_scope');
    }
    for (const [method, path, body] of [
      ['POST', '', BODY],
      ['PATCH', `/${id}`, {}],
      ['POST', `/${id}/test`, {}],
      ['POST', `/${id}/secret`, undefined],
      ['POST', `/${id}/deliveries/dlv_1/redeliver`, undefined],
      ['DELETE', `/${id}`, undefined],
    ] as const) {
      expect((await ask(method, path, { token: reader, body })).body.error.code, path).toBe('forbidden_scope');
      expect((await ask(method, path, { token: admin, body })).status, path).not.toBe(403);
    }
  });

  it('of another organization, or a live one for a sandbox key, is answered like an unknown id', async () => {
    const { id } = await create();
    const before = (await ask('GET', `/${id}`)).body;
    for (const token of [other.token, sandbox])
      for (const [method, path, body] of [
        ['GET', '', undefined],
        ['PATCH', '', { enabled: false }],
        ['DELETE', '', undefined],
        ['POST', '/test', {}],
        ['POST', '/secret', undefined],
        ['GET', '/deliveries', undefined],
        ['POST', '/deliveries/dlv_1/redeliver', undefined],
      ] as const) {
        expect(await refusalOf(ask(method, `/${id}${path}`, { token, body })), path).toEqual(NOT_FOUND);
        expect(await refusalOf(ask(method, `/wh_none${path}`, { token, body })), path).toEqual(NOT_FOUND);
      }
    expect((await ask('GET', `/${id}`)).body).toEqual(before);
  });

  it('uses no quota', async () => {
    const { headers } = await ask('GET', '');
    expect(Object.keys(headers).filter((name) => /quota|ratelimit/.test(name))).toEqual([]);
  });

  it('is refused with a conflict beyond one hundred per organization', async () => {
    const { token } = await service.organization('Full');
    for (let n = 0; n < 100; n += 1) await create(token);
    const [status, code] = await refusalOf(ask('POST', '', { token, body: BODY }));
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
    'https://service.internal/',
    'https://hooks.example.com:25/',
    `https://hooks.example.com/${'x'.repeat(2_048)}`,
    '',
  ];
  it.each(BAD_URLS)('that is not allowed is refused on creation and on a change: %.60s', async (url) => {
    const { id } = await create();
    const { webhooks } = (await ask('GET', '')).body;
    for (const response of [
      ask('POST', '', { body: { ...BODY, url } }),
      ask('PATCH', `/${id}`, { body: { url, enabled: false } }),
    ])
      expect(await refusalOf(response)).toEqual([400, 'validation_failed', expect.stringMatching(/^url: /)]);
    expect((await ask('GET', '')).body).toEqual({ webhooks });
    await ask('DELETE', `/${id}`);
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
    const { id } = await create();
    const expected = [400, 'validation_failed', expect.stringMatching(new RegExp(`^${field}: (?!must be given once)`))];
    expect(await refusalOf(ask('POST', '', { body: { url: URL_A, subscriptions } }))).toEqual(expected);
    if (subscriptions) expect(await refusalOf(ask('PATCH', `/${id}`, { body: { subscriptions } }))).toEqual(expected);
    await ask('DELETE', `/${id}`);
  });

  it('can be of every type of the catalog, even if it is not delivered yet', async () => {
    const subscriptions = EVENT_TYPES.map(({ type, version }) => ({ eventType: type, version, filters: {} }));
    const created = await ask('POST', '', { body: { url: URL_A, subscriptions } });
    expect([created.status, created.body.subscriptions]).toEqual([201, subscriptions]);
  });

  it.each([
    ['body', []],
    ['name', { ...BODY, name: 'x' }],
    ['enabled', { ...BODY, enabled: true }],
  ])('cannot come with an unknown field or a wrong body: %s', async (field, body) => {
    expect((await refusalOf(ask('POST', '', { body })))[2]).toContain(`${field}: `);
  });
});

describe('a test event', () => {
  it.each([
    ['a body', {}],
    ['no body', undefined],
    ['a type', { eventType: TRADES.eventType }],
  ])('with %s is accepted', async (_name, body) => {
    const { id } = await create();
    const response = await ask('POST', `/${id}/test`, { body });
    expect(response.status).toBe(202);
    expect(response.body).toEqual({
      deliveryId: expect.stringMatching(/^dlv_/),
      eventId: expect.stringMatching(/^we_/),
    });
  });

  it('is sent once per Idempotency-Key', async () => {
    const { id } = await create();
    const headers = { 'idempotency-key': 'test' };
    const first = await ask('POST', `/${id}/test`, { headers });
    const again = await ask('POST', `/${id}/test`, { headers });
    expect([again.status, again.body, again.headers['idempotent-replayed']]).toEqual([202, first.body, 'true']);
    expect((await ask('POST', `/${id}/test`)).body.deliveryId).not.toBe(first.body.deliveryId);
  });

  it('of an unknown type or one that the webhook does not subscribe to is refused', async () => {
    const { id } = await create();
    for (const eventType of ['event.anomaly.detected', 'nothing', '', 1])
      expect(await refusalOf(ask('POST', `/${id}/test`, { body: { eventType } }))).toEqual([
        400,
        'validation_failed',
        expect.stringMatching(/^eventType: /),
      ]);
  });

  it('for a disabled webhook is a conflict', async () => {
    const { id } = await create();
    await ask('PATCH', `/${id}`, { body: { enabled: false } });
    expect((await refusalOf(ask('POST', `/${id}/test`))).slice(0, 2)).toEqual([409, 'conflict']);
  });
});

describe('deliveries', () => {
  it('are listed as in the contract, newest first and in pages', async () => {
    const { id: webhookId } = await create();
    const owner = { orgId: acme.id, webhookId };
    await insertDeliveries(store, [
      aDelivery({ ...owner, id: 'dlv_1', eventId: 'we_1' }),
      aDelivery({ ...owner, id: 'dlv_2', eventId: 'we_2', createdAt: NOON_MS + 1 }),
      aDelivery({ ...owner, id: 'dlv_3', eventId: 'we_3', createdAt: NOON_MS + 2 }),
      aDelivery({ orgId: other.id, webhookId, id: 'dlv_foreign' }),
    ]);
    const failed = { status: 500, outcome: 'pending', nextAttemptAt: NOON_MS + 5_000 } as const;
    await insertAttempts(store, [
      anAttempt({ ...owner, deliveryId: 'dlv_1' }),
      anAttempt({ ...owner, deliveryId: 'dlv_2', ...failed }),
    ]);
    const row = { eventType: 'event.spread.changed' };
    const at = '2026-03-01T12:00:00.010Z';
    const all = [
      {
        ...row,
        id: 'dlv_3',
        eventId: 'we_3',
        status: 'pending',
        createdAt: '2026-03-01T12:00:00.002Z',
        nextAttemptAt: '2026-03-01T12:00:00.002Z',
        attempts: [],
      },
      {
        ...row,
        id: 'dlv_2',
        eventId: 'we_2',
        status: 'pending',
        createdAt: '2026-03-01T12:00:00.001Z',
        nextAttemptAt: '2026-03-01T12:00:05.000Z',
        attempts: [{ at, status: 500, durationMs: 25, error: null }],
      },
      {
        ...row,
        id: 'dlv_1',
        eventId: 'we_1',
        status: 'delivered',
        createdAt: '2026-03-01T12:00:00.000Z',
        nextAttemptAt: null,
        attempts: [{ at, status: 200, durationMs: 25, error: null }],
      },
    ];
    const path = `/${webhookId}/deliveries`;
    const complete = await ask('GET', path);
    expect(complete.body).toEqual({ deliveries: all, pagination: { nextCursor: null, hasMore: false } });
    const first = await ask('GET', `${path}?limit=2`);
    const { nextCursor } = first.body.pagination;
    expect(first.body).toEqual({ deliveries: all.slice(0, 2), pagination: { nextCursor, hasMore: true } });
    const rest = await ask('GET', `${path}?limit=2&cursor=${nextCursor}`);
    expect(rest.body).toEqual({ deliveries: all.slice(2), pagination: { nextCursor: null, hasMore: false } });
    expect((await ask('GET', `${path}?limit=0`)).body.deliveries).toHaveLength(1);
    expect((await refusalOf(ask('GET', `${path}?limit=x`)))[2]).toMatch(/^limit: /);
    expect((await refusalOf(ask('GET', `${path}?cursor=zz`)))[2]).toMatch(/^cursor: /);
    expect((await refusalOf(ask('GET', `${path}?limit=1&limit=2`)))[2]).toBe('limit: must be given once');
  });

  it('can be listed and redelivered for 30 days by the clock of the pipeline', async () => {
    const { id: webhookId } = await create();
    const owner = { orgId: acme.id, webhookId };
    await insertDeliveries(store, [
      aDelivery({ ...owner, id: 'dlv_old' }),
      aDelivery({ ...owner, id: 'dlv_new', createdAt: NOON_MS + 1 }),
    ]);
    const listed = async () => {
      const { body } = await ask('GET', `/${webhookId}/deliveries`);
      return body.deliveries.map(({ id }: { id: string }) => id);
    };
    const redelivered = async (id: string) =>
      (await ask('POST', `/${webhookId}/deliveries/${id}/redeliver`, { body: {} })).status;
    const { events } = service.views;
    try {
      events.now = NOON_MS + DELIVERY_RETENTION_MS;
      expect(await listed()).toEqual(['dlv_new', 'dlv_old']);
      expect(await redelivered('dlv_old')).toBe(202);
      events.now += 1;
      expect(await listed()).toEqual(['dlv_new']);
      expect([await redelivered('dlv_old'), await redelivered('dlv_new')]).toEqual([404, 202]);
    } finally {
      events.now = null;
    }
  });

  it('are empty for a new webhook', async () => {
    const { id } = await create();
    expect((await ask('GET', `/${id}/deliveries`)).body).toEqual({
      deliveries: [],
      pagination: { nextCursor: null, hasMore: false },
    });
  });
});

describe('a redelivery', () => {
  const redeliver = (webhookId: string, id: string, options: TestRequest = {}) =>
    ask('POST', `/${webhookId}/deliveries/${id}/redeliver`, options);

  it('uses the stored body and the same event id', async () => {
    const { id: webhookId } = await create();
    const body = JSON.stringify({ id: 'we_b', data: { note: `é€ "\\ 🙂 ${'"'.repeat(200_000)}` } }).slice(
      0,
      REDELIVERED_BODY_MAX,
    );
    await insertDeliveries(store, [aDelivery({ orgId: acme.id, webhookId, id: 'dlv_b', eventId: 'we_b', body })]);
    const response = await redeliver(webhookId, 'dlv_b');
    expect(response.status).toBe(202);
    expect(response.body).toEqual({ deliveryId: expect.stringMatching(/^dlv_[0-9a-f-]{36}$/) });
    const command = (await service.commands()).at(-1)!;
    expect(command.type).toBe('webhook.redeliver');
    expect(JSON.parse(command.body)).toMatchObject({
      webhookId,
      deliveryId: 'dlv_b',
      newDeliveryId: response.body.deliveryId,
      eventId: 'we_b',
      eventType: 'event.spread.changed',
      body,
    });
  });

  it('of a sandbox webhook works for sandbox keys only', async () => {
    const { id: webhookId } = await create(sandbox);
    await insertDeliveries(store, [aDelivery({ orgId: acme.id, webhookId, id: 'dlv_s' })]);
    expect((await redeliver(webhookId, 'dlv_s', { token: sandbox })).status).toBe(202);
    expect(await refusalOf(redeliver(webhookId, 'dlv_s'))).toEqual(NOT_FOUND);
    expect((await ask('GET', `/${webhookId}/deliveries`, { token: sandbox })).body.deliveries).toHaveLength(1);
    expect((await ask('POST', `/${webhookId}/test`, { token: sandbox })).status).toBe(202);
  });

  it('of a delivery of another webhook is answered 404, for a disabled webhook 409', async () => {
    const { id: webhookId } = await create();
    const { id: second } = await create();
    await insertDeliveries(store, [aDelivery({ orgId: acme.id, webhookId, id: 'dlv_own' })]);
    const none = [404, 'not_found', 'no such delivery'];
    expect(await refusalOf(redeliver(webhookId, 'dlv_none'))).toEqual(none);
    expect(await refusalOf(redeliver(second, 'dlv_own'))).toEqual(none);
    await ask('PATCH', `/${webhookId}`, { body: { enabled: false } });
    expect((await refusalOf(redeliver(webhookId, 'dlv_own'))).slice(0, 2)).toEqual([409, 'conflict']);
  });

  it('is sent once per Idempotency-Key', async () => {
    const { id: webhookId } = await create();
    await insertDeliveries(store, [aDelivery({ orgId: acme.id, webhookId, id: 'dlv_i' })]);
    const headers = { 'idempotency-key': 'again' };
    const first = await redeliver(webhookId, 'dlv_i', { headers });
    const again = await redeliver(webhookId, 'dlv_i', { headers });
    expect([again.body, again.headers['idempotent-replayed']]).toEqual([first.body, 'true']);
  });
});

it('logs no signing secret', () => {
  expect(service.logLines.join()).not.toContain('whsec_');
});
