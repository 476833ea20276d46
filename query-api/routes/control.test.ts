/** Organizations and what they own, by the API over a real log. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AppWorld, openAppWorld } from '../testing/world.fixture.ts';

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const MIXED = `0x${'aB'.repeat(20)}`;
let world: AppWorld;
let acme: { id: string; token: string };
let other: { id: string; token: string };
beforeAll(async () => {
  world = await openAppWorld();
  acme = await world.organization('Acme');
  other = await world.organization('Other');
});
afterAll(() => world.close());
/** An error without what differs from request to request. */
const errorOf = ({ status, body }: { status: number; body: { error: { requestId: string } } }) => {
  const { requestId, ...error } = body.error;
  return { status, error };
};

describe('/keys', () => {
  const body = { name: 'bot', userId: 'u1', scopes: ['read'], rateLimitTier: 'gold' };
  it('makes a key whose token is told once, and revokes it', async () => {
    const made = await world.ask('POST', '/keys', { token: acme.token, body });
    expect(made.status).toBe(201);
    expect(Object.keys(made.body).sort()).toEqual(['createdAt', 'id', 'name', 'scopes', 'token', 'userId']);
    expect(made.body).toMatchObject({ name: 'bot', userId: 'u1', scopes: ['read'] });
    expect(made.body.createdAt).toMatch(ISO);
    expect(made.body.token).toMatch(new RegExp(`^plx_live_${made.body.id}\\.[\\w-]{43}$`));
    const listed = await world.ask('GET', '/keys', { token: acme.token });
    expect(listed.body.keys.map((key: { id: string }) => key.id)).toContain(made.body.id);
    expect(listed.text).not.toMatch(/plx_|hash|salt/);
    expect((await world.ask('GET', '/v1/me/wallets', { token: made.body.token })).status).toBe(200);
    const gone = await world.ask('DELETE', `/keys/${made.body.id}`, { token: acme.token });
    expect([gone.status, gone.text, gone.headers['content-type']]).toEqual([204, '', undefined]);
    expect((await world.ask('GET', '/v1/me/wallets', { token: made.body.token })).status).toBe(401);
    expect((await world.ask('DELETE', `/keys/${made.body.id}`, { token: acme.token })).status).toBe(404);
  });

  it('makes sandbox keys, which make and see sandbox keys only', async () => {
    const sandbox = await world.key(acme.token, ['admin', 'read'], true);
    expect(sandbox.token).toMatch(/^plx_test_/);
    expect((await world.ask('POST', '/keys', { token: sandbox.token, body })).body.error.code).toBe('forbidden_scope');
    const { body: listed } = await world.ask('GET', '/keys', { token: sandbox.token });
    expect(listed.keys.map((key: { id: string }) => key.id)).toEqual([sandbox.id]);
    expect((await world.ask('GET', '/v1/organizations', { token: sandbox.token })).status).toBe(403);
  });

  it('keeps the last admin key', async () => {
    const { body: listed } = await world.ask('GET', '/keys', { token: other.token });
    expect((await world.ask('DELETE', `/keys/${listed.keys[0].id}`, { token: other.token })).status).toBe(409);
  });

  it.each([
    ['name', { ...body, name: '' }],
    ['userId', { name: 'x', scopes: ['read'] }],
    ['scopes', { ...body, scopes: [] }],
    ['scopes.0', { ...body, scopes: ['write'] }],
    ['sandbox', { ...body, sandbox: 'yes' }],
    ['more', { ...body, more: 1 }],
    ['body', []],
  ])('refuses a bad %s, naming it', async (field, wrong) => {
    const { status, body: got } = await world.ask('POST', '/keys', { body: wrong });
    expect([status, got.error.code]).toEqual([400, 'validation_failed']);
    expect(got.error.message).toContain(`${field}: `);
  });
});

describe('/v1/organizations', () => {
  it('answers what the contract says', async () => {
    const made = await world.ask('POST', '/v1/organizations', { body: { name: 'New', plan: 'free' } });
    expect(made.status).toBe(201);
    const { id, createdAt, adminKey } = made.body;
    expect(made.body).toEqual({
      id,
      name: 'New',
      plan: 'free',
      createdAt,
      adminKey: {
        id: expect.any(String),
        token: expect.stringMatching(/^plx_live_/),
        name: 'admin',
        userId: 'admin',
        scopes: ['read', 'trade', 'stream', 'admin'],
        createdAt,
      },
    });
    const path = `/v1/organizations/${id}`;
    const row = { id, name: 'New', plan: 'free', suspended: false, createdAt };
    expect((await world.ask('GET', '/v1/organizations')).body.organizations).toContainEqual(row);
    const changed = await world.ask('PATCH', path, { body: { plan: 'pro', suspended: true } });
    expect([changed.status, changed.body]).toEqual([200, { ...row, plan: 'pro', suspended: true }]);
    expect((await world.ask('GET', '/keys', { token: adminKey.token })).status).toBe(401);
    await world.ask('PATCH', path, { body: { suspended: false } });
    expect((await world.ask('GET', '/keys', { token: adminKey.token })).status).toBe(200);
    expect((await world.ask('DELETE', path)).status).toBe(204);
    expect((await world.ask('GET', '/keys', { token: adminKey.token })).status).toBe(401);
    expect((await world.ask('PATCH', path, { body: {} })).status).toBe(404);
  });

  it('is for keys of the first organization only, whatever is asked', async () => {
    for (const [method, path, body] of [
      ['POST', '', { name: 'x', plan: 'free' }],
      ['GET', '', undefined],
      ['PATCH', `/${acme.id}`, { name: 'x' }],
      ['PATCH', '/org_none', { name: 'x' }],
      ['DELETE', `/${acme.id}`, undefined],
    ] as const) {
      const got = await world.ask(method, `/v1/organizations${path}`, { token: other.token, body });
      expect([got.status, got.body.error.code], `${method} ${path}`).toEqual([403, 'forbidden_scope']);
    }
  });

  it('lets nobody suspend or delete the first one', async () => {
    const first = `/v1/organizations/${world.host.state.firstOrganizationId}`;
    expect((await world.ask('PATCH', first, { body: { suspended: true } })).status).toBe(409);
    expect((await world.ask('DELETE', first)).status).toBe(409);
  });
});

describe('/v1/me/wallets', () => {
  it('binds, lists and unbinds', async () => {
    const body = { provider: 'venue_a', address: MIXED, label: 'Main' };
    const made = await world.ask('POST', '/v1/me/wallets', { token: acme.token, body });
    expect(made.status).toBe(201);
    const { id, createdAt } = made.body;
    expect(id).toMatch(/^wal_/);
    const row = { id, provider: 'venue_a_perp', address: MIXED.toLowerCase(), label: 'Main', createdAt };
    expect(made.body).toEqual(row);
    const again = await world.ask('POST', '/v1/me/wallets', { token: acme.token, body });
    expect([again.status, again.body.error.code]).toEqual([409, 'conflict']);
    expect((await world.ask('GET', '/v1/me/wallets', { token: acme.token })).body).toEqual({ wallets: [row] });
    expect((await world.ask('GET', '/v1/me/wallets', { token: other.token })).body).toEqual({ wallets: [] });
    const foreign = await world.ask('DELETE', `/v1/me/wallets/${id}`, { token: other.token });
    const unknown = await world.ask('DELETE', '/v1/me/wallets/wal_none', { token: other.token });
    expect(errorOf(foreign)).toEqual(errorOf(unknown));
    expect(foreign.status).toBe(404);
    expect((await world.ask('DELETE', `/v1/me/wallets/${id}`, { token: acme.token })).status).toBe(204);
  });

  it('needs read to look and admin to change', async () => {
    const [reader, admin] = [await world.key(acme.token, ['read']), await world.key(acme.token, ['admin'])];
    const body = { provider: 'venue_b', address: MIXED, label: '' };
    expect((await world.ask('GET', '/v1/me/wallets', { token: admin.token })).status).toBe(403);
    expect((await world.ask('GET', '/v1/me/wallets', { token: reader.token })).status).toBe(200);
    const refused = await world.ask('POST', '/v1/me/wallets', { token: reader.token, body });
    expect([refused.status, refused.body.error.code]).toEqual([403, 'forbidden_scope']);
    expect((await world.ask('POST', '/v1/me/wallets', { token: admin.token, body })).status).toBe(201);
  });

  it('names a bad field', async () => {
    const body = { provider: 'venue_c', address: 'x', label: 1 };
    const { body: got } = await world.ask('POST', '/v1/me/wallets', { body });
    expect(got.error.message).toMatch(/provider: .*address: .*label: /);
  });
});

describe('/v1/me/platform-attributions', () => {
  const path = '/v1/me/platform-attributions';
  const body = { provider: 'venue_a_dex', builder: MIXED, label: 'App' };
  it('registers a builder once', async () => {
    const made = await world.ask('POST', path, { token: acme.token, body });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ orgId: acme.id, provider: 'venue_a', builder: MIXED.toLowerCase() });
    const again = await world.ask('POST', path, { token: acme.token, body: { ...body, label: 'Else' } });
    expect([again.status, again.body]).toEqual([200, made.body]);
    expect((await world.ask('GET', path, { token: acme.token })).body).toEqual({ attributions: [made.body] });
    const foreign = await world.ask('DELETE', `${path}/${made.body.id}`, { token: other.token });
    expect(errorOf(foreign)).toEqual(errorOf(await world.ask('DELETE', `${path}/none`, { token: other.token })));
    expect((await world.ask('DELETE', `${path}/${made.body.id}`, { token: acme.token })).status).toBe(204);
  });
  it.each([
    ['venue_a', `0x${'0'.repeat(40)}`],
    ['venue_b', MIXED],
  ])('refuses a builder of %s that is none: %s', async (provider, builder) => {
    const got = await world.ask('POST', path, { body: { provider, builder, label: '' } });
    expect([got.status, got.body.error.code]).toEqual([400, 'validation_failed']);
    expect(got.body.error.message).toContain('builder: ');
  });
});

describe('an Idempotency-Key', () => {
  const headers = { 'idempotency-key': 'once' };
  it('answers a repeat with the first answer, without the token', async () => {
    const body = { name: 'idem', userId: 'u', scopes: ['read'] };
    const first = await world.ask('POST', '/keys', { headers, body });
    const shuffled = { scopes: ['read'], userId: 'u', name: 'idem' };
    const again = await world.ask('POST', '/keys', { headers, body: shuffled });
    expect([first.status, first.headers['idempotent-replayed']]).toEqual([201, undefined]);
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, 'true']);
    expect(again.body).toEqual({ ...first.body, token: null });
    expect((await world.ask('GET', '/v1/me/wallets', { token: first.body.token })).status).toBe(200);
    const else_ = await world.ask('POST', '/keys', { headers, body: { ...body, name: 'else' } });
    expect([else_.status, else_.body.error.code]).toEqual([422, 'validation_failed']);
    expect(else_.body.error.message).toContain('Idempotency-Key');
  });

  it('repeats a refusal too, and is one per organization', async () => {
    const body = { provider: 'venue_b', address: `0x${'1'.repeat(40)}`, label: '' };
    await world.ask('POST', '/v1/me/wallets', { token: acme.token, body });
    const first = await world.ask('POST', '/v1/me/wallets', { token: acme.token, headers, body });
    const again = await world.ask('POST', '/v1/me/wallets', { token: acme.token, headers, body });
    expect([first.status, again.status]).toEqual([409, 409]);
    expect(again.headers['idempotent-replayed']).toBe('true');
    const elsewhere = await world.ask('POST', '/v1/me/wallets', { token: other.token, headers, body });
    expect([elsewhere.status, elsewhere.headers['idempotent-replayed']]).toEqual([201, undefined]);
  });

  it('makes one of many at a time, and the others conflict or get its answer', async () => {
    const ask = () =>
      world.ask('POST', '/keys', {
        headers: { 'idempotency-key': 'many' },
        body: { name: 'many', userId: 'u', scopes: ['read'] },
      });
    const answers = await Promise.all(Array.from({ length: 5 }, ask));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
    expect((await ask()).headers['idempotent-replayed']).toBe('true');
    const { keys } = (await world.ask('GET', '/keys')).body;
    expect(keys.filter(({ name }: { name: string }) => name === 'many')).toHaveLength(1);
  });

  it.each(['', 'x'.repeat(256)])('of a bad length is refused: %.5s', async (key) => {
    const body = { name: 'n', userId: 'u', scopes: ['read'] };
    const got = await world.ask('POST', '/keys', { headers: { 'idempotency-key': key }, body });
    expect([got.status, got.body.error.code]).toEqual([400, 'validation_failed']);
    expect(got.body.error.message).toContain('Idempotency-Key: ');
  });
});

describe('bodies', () => {
  it('are not looked at before it is known who asks', async () => {
    const headers = { 'content-type': 'application/json' };
    expect((await world.ask('POST', '/keys', { token: null, headers, body: '{' })).status).toBe(401);
    expect((await world.ask('POST', '/keys', { headers, body: '{' })).body.error.code).toBe('bad_request');
    expect((await world.ask('POST', '/keys', { headers })).body.error).toMatchObject({ code: 'bad_request' });
    expect((await world.ask('POST', '/keys')).body.error.message).toContain('body: ');
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await world.ask('POST', '/keys', { headers: form, body: 'a=b' })).body.error.code).toBe('bad_request');
    const large = await world.ask('POST', '/keys', { headers, body: `"${'x'.repeat(1024 * 1024)}"` });
    expect([large.status, large.body.error.code]).toEqual([413, 'validation_failed']);
    expect((await world.ask('DELETE', '/keys/none', { headers })).status).toBe(404);
  });
});

it('no token, secret or hash is logged', () => {
  expect(world.logged.join()).not.toMatch(/plx_live_[0-9a-f-]{36}\.|"hash"/);
});
