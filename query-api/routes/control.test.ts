/** Tests organizations and their resources by the API, with a real log. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestService, type TestService } from '../testing/test-service.fixture.ts';

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const MIXED = `0x${'aB'.repeat(20)}`;
let service: TestService;
let acme: { id: string; token: string };
let other: { id: string; token: string };
beforeAll(async () => {
  service = await openTestService();
  acme = await service.organization('Acme');
  other = await service.organization('Other');
});
afterAll(() => service.close());
/** An error without its request id. */
const errorOf = ({ status, body }: { status: number; body: { error: { requestId: string } } }) => {
  const { requestId, ...error } = body.error;
  return { status, error };
};

describe('/keys', () => {
  const body = { name: 'bot', userId: 'u1', scopes: ['read'], rateLimitTier: 'gold' };
  it('creates a key whose token is returned once, and revokes it', async () => {
    const created = await service.request('POST', '/keys', { token: acme.token, body });
    expect(created.status).toBe(201);
    expect(Object.keys(created.body).sort()).toEqual(['createdAt', 'id', 'name', 'scopes', 'token', 'userId']);
    expect(created.body).toMatchObject({ name: 'bot', userId: 'u1', scopes: ['read'] });
    expect(created.body.createdAt).toMatch(ISO);
    expect(created.body.token).toMatch(new RegExp(`^plx_live_${created.body.id}\\.[\\w-]{43}$`));
    const listed = await service.request('GET', '/keys', { token: acme.token });
    expect(listed.body.keys.map((key: { id: string }) => key.id)).toContain(created.body.id);
    expect(listed.text).not.toMatch(/plx_|hash|salt/);
    expect((await service.request('GET', '/v1/me/wallets', { token: created.body.token })).status).toBe(200);
    const gone = await service.request('DELETE', `/keys/${created.body.id}`, { token: acme.token });
    expect([gone.status, gone.text, gone.headers['content-type']]).toEqual([204, '', undefined]);
    expect((await service.request('GET', '/v1/me/wallets', { token: created.body.token })).status).toBe(401);
    expect((await service.request('DELETE', `/keys/${created.body.id}`, { token: acme.token })).status).toBe(404);
  });

  it('lists the minute in which each key was last used', async () => {
    const used = await service.key(acme.token, ['read']);
    const usesOf = async () => {
      const { body: listed } = await service.request('GET', '/keys', { token: acme.token });
      return new Map<string, string | null>(
        listed.keys.map(({ id, lastUsedAt }: { id: string; lastUsedAt: string | null }) => [id, lastUsedAt]),
      );
    };
    const before = await usesOf();
    expect(before.get(used.id)).toBeNull();
    expect(before.get(acme.token.slice('plx_live_'.length).split('.')[0]!)).toMatch(/T\d\d:\d\d:00\.000Z$/);
    // A request that is refused for its scope uses the key too.
    expect((await service.request('GET', '/keys', { token: used.token })).status).toBe(403);
    expect((await usesOf()).get(used.id)).toMatch(/T\d\d:\d\d:00\.000Z$/);
  });

  it('creates sandbox keys, which can create and see only sandbox keys', async () => {
    const sandbox = await service.key(acme.token, ['admin', 'read'], true);
    expect(sandbox.token).toMatch(/^plx_test_/);
    expect((await service.request('POST', '/keys', { token: sandbox.token, body })).body.error.code).toBe(
      'forbidden_scope',
    );
    const { body: listed } = await service.request('GET', '/keys', { token: sandbox.token });
    expect(listed.keys.map((key: { id: string }) => key.id)).toEqual([sandbox.id]);
    expect((await service.request('GET', '/v1/organizations', { token: sandbox.token })).status).toBe(403);
  });

  it('refuses to delete the last admin key', async () => {
    const { body: listed } = await service.request('GET', '/keys', { token: other.token });
    expect((await service.request('DELETE', `/keys/${listed.keys[0].id}`, { token: other.token })).status).toBe(409);
  });

  it.each([
    ['name', { ...body, name: '' }],
    ['userId', { name: 'x', scopes: ['read'] }],
    ['scopes', { ...body, scopes: [] }],
    ['scopes.0', { ...body, scopes: ['write'] }],
    ['sandbox', { ...body, sandbox: 'yes' }],
    ['more', { ...body, more: 1 }],
    ['body', []],
  ])('refuses an invalid %s and names it', async (field, wrong) => {
    const { status, body: got } = await service.request('POST', '/keys', { body: wrong });
    expect([status, got.error.code]).toEqual([400, 'validation_failed']);
    expect(got.error.message).toContain(`${field}: `);
  });
});

describe('/v1/organizations', () => {
  it('creates, lists, changes and deletes as in the contract', async () => {
    const created = await service.request('POST', '/v1/organizations', { body: { name: 'New', plan: 'free' } });
    expect(created.status).toBe(201);
    const { id, createdAt, adminKey } = created.body;
    expect(created.body).toEqual({
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
    expect((await service.request('GET', '/v1/organizations')).body.organizations).toContainEqual(row);
    const changed = await service.request('PATCH', path, { body: { plan: 'pro', suspended: true } });
    expect([changed.status, changed.body]).toEqual([200, { ...row, plan: 'pro', suspended: true }]);
    expect((await service.request('GET', '/keys', { token: adminKey.token })).status).toBe(401);
    await service.request('PATCH', path, { body: { suspended: false } });
    expect((await service.request('GET', '/keys', { token: adminKey.token })).status).toBe(200);
    expect((await service.request('DELETE', path)).status).toBe(204);
    expect((await service.request('GET', '/keys', { token: adminKey.token })).status).toBe(401);
    expect((await service.request('PATCH', path, { body: {} })).status).toBe(404);
  });

  it('answers 403 to keys of other organizations for every request', async () => {
    for (const [method, path, body] of [
      ['POST', '', { name: 'x', plan: 'free' }],
      ['GET', '', undefined],
      ['PATCH', `/${acme.id}`, { name: 'x' }],
      ['PATCH', '/org_none', { name: 'x' }],
      ['DELETE', `/${acme.id}`, undefined],
    ] as const) {
      const got = await service.request(method, `/v1/organizations${path}`, { token: other.token, body });
      expect([got.status, got.body.error.code], `${method} ${path}`).toEqual([403, 'forbidden_scope']);
    }
  });

  it('refuses to suspend or delete the first organization', async () => {
    const first = `/v1/organizations/${service.control.state.firstOrganizationId}`;
    expect((await service.request('PATCH', first, { body: { suspended: true } })).status).toBe(409);
    expect((await service.request('DELETE', first)).status).toBe(409);
  });
});

describe('/v1/me/wallets', () => {
  it('binds, lists and unbinds a wallet', async () => {
    const body = { provider: 'venue_a', address: MIXED, label: 'Main' };
    const created = await service.request('POST', '/v1/me/wallets', { token: acme.token, body });
    expect(created.status).toBe(201);
    const { id, createdAt } = created.body;
    expect(id).toMatch(/^wal_/);
    const row = { id, provider: 'venue_a_perp', address: MIXED.toLowerCase(), label: 'Main', createdAt };
    expect(created.body).toEqual(row);
    const again = await service.request('POST', '/v1/me/wallets', { token: acme.token, body });
    expect([again.status, again.body.error.code]).toEqual([409, 'conflict']);
    expect((await service.request('GET', '/v1/me/wallets', { token: acme.token })).body).toEqual({ wallets: [row] });
    expect((await service.request('GET', '/v1/me/wallets', { token: other.token })).body).toEqual({ wallets: [] });
    const foreign = await service.request('DELETE', `/v1/me/wallets/${id}`, { token: other.token });
    const unknown = await service.request('DELETE', '/v1/me/wallets/wal_none', { token: other.token });
    expect(errorOf(foreign)).toEqual(errorOf(unknown));
    expect(foreign.status).toBe(404);
    expect((await service.request('DELETE', `/v1/me/wallets/${id}`, { token: acme.token })).status).toBe(204);
  });

  it('requires the scope read to list and admin to change', async () => {
    const [reader, admin] = [await service.key(acme.token, ['read']), await service.key(acme.token, ['admin'])];
    const body = { provider: 'venue_b', address: MIXED, label: '' };
    expect((await service.request('GET', '/v1/me/wallets', { token: admin.token })).status).toBe(403);
    expect((await service.request('GET', '/v1/me/wallets', { token: reader.token })).status).toBe(200);
    const refused = await service.request('POST', '/v1/me/wallets', { token: reader.token, body });
    expect([refused.status, refused.body.error.code]).toEqual([403, 'forbidden_scope']);
    expect((await service.request('POST', '/v1/me/wallets', { token: admin.token, body })).status).toBe(201);
  });

  it('names every invalid field', async () => {
    const body = { provider: 'venue_c', address: 'x', label: 1 };
    const { body: got } = await service.request('POST', '/v1/me/wallets', { body });
    expect(got.error.message).toMatch(/provider: .*address: .*label: /);
  });
});

describe('/v1/me/platform-attributions', () => {
  const path = '/v1/me/platform-attributions';
  const body = { provider: 'venue_a_dex', builder: MIXED, label: 'App' };
  it('registers a builder only once', async () => {
    const created = await service.request('POST', path, { token: acme.token, body });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ orgId: acme.id, provider: 'venue_a', builder: MIXED.toLowerCase() });
    const again = await service.request('POST', path, { token: acme.token, body: { ...body, label: 'Else' } });
    expect([again.status, again.body]).toEqual([200, created.body]);
    expect((await service.request('GET', path, { token: acme.token })).body).toEqual({ attributions: [created.body] });
    const foreign = await service.request('DELETE', `${path}/${created.body.id}`, { token: other.token });
    expect(errorOf(foreign)).toEqual(errorOf(await service.request('DELETE', `${path}/none`, { token: other.token })));
    expect((await service.request('DELETE', `${path}/${created.body.id}`, { token: acme.token })).status).toBe(204);
  });
  it.each([
    ['venue_a', `0x${'0'.repeat(40)}`],
    ['venue_b', MIXED],
  ])('refuses an invalid builder of %s: %s', async (provider, builder) => {
    const got = await service.request('POST', path, { body: { provider, builder, label: '' } });
    expect([got.status, got.body.error.code]).toEqual([400, 'validation_failed']);
    expect(got.body.error.message).toContain('builder: ');
  });
});

describe('an Idempotency-Key', () => {
  const headers = { 'idempotency-key': 'once' };
  it('repeats the first response without the token', async () => {
    const body = { name: 'idem', userId: 'u', scopes: ['read'] };
    const first = await service.request('POST', '/keys', { headers, body });
    const shuffled = { scopes: ['read'], userId: 'u', name: 'idem' };
    const again = await service.request('POST', '/keys', { headers, body: shuffled });
    expect([first.status, first.headers['idempotent-replayed']]).toEqual([201, undefined]);
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, 'true']);
    expect(again.body).toEqual({ ...first.body, token: null });
    expect((await service.request('GET', '/v1/me/wallets', { token: first.body.token })).status).toBe(200);
    const else_ = await service.request('POST', '/keys', { headers, body: { ...body, name: 'else' } });
    expect([else_.status, else_.body.error.code]).toEqual([422, 'validation_failed']);
    expect(else_.body.error.message).toContain('Idempotency-Key');
  });

  it('repeats a refusal too, and is separate for each organization', async () => {
    const body = { provider: 'venue_b', address: `0x${'1'.repeat(40)}`, label: '' };
    await service.request('POST', '/v1/me/wallets', { token: acme.token, body });
    const first = await service.request('POST', '/v1/me/wallets', { token: acme.token, headers, body });
    const again = await service.request('POST', '/v1/me/wallets', { token: acme.token, headers, body });
    expect([first.status, again.status]).toEqual([409, 409]);
    expect(again.headers['idempotent-replayed']).toBe('true');
    const elsewhere = await service.request('POST', '/v1/me/wallets', { token: other.token, headers, body });
    expect([elsewhere.status, elsewhere.headers['idempotent-replayed']]).toEqual([201, undefined]);
  });

  it('lets one of several concurrent requests succeed, while the others get a conflict or its response', async () => {
    const create = () =>
      service.request('POST', '/keys', {
        headers: { 'idempotency-key': 'many' },
        body: { name: 'many', userId: 'u', scopes: ['read'] },
      });
    const responses = await Promise.all(Array.from({ length: 5 }, create));
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
    expect((await create()).headers['idempotent-replayed']).toBe('true');
    const { keys } = (await service.request('GET', '/keys')).body;
    expect(keys.filter(({ name }: { name: string }) => name === 'many')).toHaveLength(1);
  });

  it.each(['', 'x'.repeat(256)])('of an invalid length is refused: %.5s', async (key) => {
    const body = { name: 'n', userId: 'u', scopes: ['read'] };
    const got = await service.request('POST', '/keys', { headers: { 'idempotency-key': key }, body });
    expect([got.status, got.body.error.code]).toEqual([400, 'validation_failed']);
    expect(got.body.error.message).toContain('Idempotency-Key: ');
  });
});

describe('bodies', () => {
  it('are not parsed before the caller is authenticated', async () => {
    const headers = { 'content-type': 'application/json' };
    expect((await service.request('POST', '/keys', { token: null, headers, body: '{' })).status).toBe(401);
    expect((await service.request('POST', '/keys', { headers, body: '{' })).body.error.code).toBe('bad_request');
    expect((await service.request('POST', '/keys', { headers })).body.error).toMatchObject({ code: 'bad_request' });
    expect((await service.request('POST', '/keys')).body.error.message).toContain('body: ');
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await service.request('POST', '/keys', { headers: form, body: 'a=b' })).body.error.code).toBe(
      'bad_request',
    );
    const large = await service.request('POST', '/keys', { headers, body: `"${'x'.repeat(1024 * 1024)}"` });
    expect([large.status, large.body.error.code]).toEqual([413, 'validation_failed']);
    expect((await service.request('DELETE', '/keys/none', { headers })).status).toBe(404);
  });
});

it('logs no token, secret or hash', () => {
  expect(service.logLines.join()).not.toMatch(/plx_live_[0-9a-f-]{36}\.|"hash"/);
});
