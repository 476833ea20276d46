import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AppWorld, openAppWorld } from '../../../testing/world.fixture.ts';

let world: AppWorld;
beforeAll(async () => {
  world = await openAppWorld();
});
afterAll(() => world.close());

const signIn = async (token = world.admin) => {
  const got = await world.ask('POST', '/v1/session', { token });
  expect([got.status, got.text]).toEqual([204, '']);
  const header = String(got.headers['set-cookie']);
  return { header, cookie: header.split(';')[0]! };
};
const by = (cookie: string, more: Record<string, string> = {}) => ({ token: null, headers: { cookie, ...more } });
const csrf = async (cookie: string) => (await world.ask('GET', '/v1/session', by(cookie))).body.csrf as string;

describe('a portal session', () => {
  it('is a cookie that scripts and other sites cannot use', async () => {
    const { header } = await signIn();
    expect(header).toMatch(/^plx_session=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/);
    for (const host of ['api.example', 'localhost.example', '127.0.0.1.example:80', '10.0.0.1']) {
      const got = await world.ask('POST', '/v1/session', { headers: { host } });
      expect(got.headers['set-cookie'], host).toMatch(/; Secure$/);
    }
  });

  it('acts as its key, with the header that only the portal can know', async () => {
    const { cookie } = await signIn();
    const { body: session } = await world.ask('GET', '/v1/session', by(cookie));
    expect(session).toMatchObject({ userId: 'admin', sandbox: false, plan: 'enterprise' });
    expect(Date.parse(session.expiresAt) - Date.now()).toBeGreaterThan(11.9 * 3_600_000);
    expect((await world.ask('GET', '/keys', by(cookie))).status).toBe(200);
    const body = { name: 'by session', userId: 'u', scopes: ['read'] };
    for (const wrong of [{}, { 'x-parallax-csrf': '' }, { 'x-parallax-csrf': 'x'.repeat(43) }]) {
      const got = await world.ask('POST', '/keys', { ...by(cookie, wrong as Record<string, string>), body });
      expect([got.status, got.body.error.code]).toEqual([403, 'forbidden_scope']);
      expect(got.body.error.message).toContain('X-Parallax-Csrf');
    }
    const other = await csrf((await signIn()).cookie);
    expect((await world.ask('POST', '/keys', { ...by(cookie, { 'x-parallax-csrf': other }), body })).status).toBe(403);
    const good = by(cookie, { 'x-parallax-csrf': session.csrf });
    expect((await world.ask('POST', '/keys', { ...good, body })).status).toBe(201);
  });

  it('has the scopes of its key and no more', async () => {
    const { token } = await world.key(world.admin, ['read']);
    const { cookie } = await signIn(token);
    expect((await world.ask('GET', '/keys', by(cookie))).status).toBe(403);
    expect((await world.ask('GET', '/v1/me/wallets', by(cookie))).status).toBe(200);
  });

  it('ends when it is told to', async () => {
    const { cookie } = await signIn();
    const headers = { 'x-parallax-csrf': await csrf(cookie) };
    expect((await world.ask('DELETE', '/v1/session', by(cookie))).status).toBe(403);
    const ended = await world.ask('DELETE', '/v1/session', by(cookie, headers));
    expect(ended.status).toBe(204);
    expect(ended.headers['set-cookie']).toMatch(/^plx_session=; .*Max-Age=0/);
    expect((await world.ask('GET', '/v1/session', by(cookie))).status).toBe(401);
    expect((await world.ask('DELETE', '/v1/session')).status).toBe(404);
  });

  it('ends with its key', async () => {
    const key = await world.key(world.admin, ['read']);
    const { cookie } = await signIn(key.token);
    await world.ask('DELETE', `/keys/${key.id}`);
    expect((await world.ask('GET', '/v1/session', by(cookie))).status).toBe(401);
  });

  it('cannot be opened by another, nor by a cookie that nobody was given', async () => {
    const { cookie } = await signIn();
    const headers = { 'x-parallax-csrf': await csrf(cookie) };
    expect((await world.ask('POST', '/v1/session', by(cookie, headers))).status).toBe(401);
    for (const wrong of [`plx_session=${'A'.repeat(43)}`, 'plx_session=', 'plx_session', 'other=1'])
      expect((await world.ask('GET', '/v1/session', by(wrong))).status, wrong).toBe(401);
    // A token that is there counts, whatever cookie is beside it.
    expect((await world.ask('GET', '/keys', { token: 'plx_live_x', headers: { cookie } })).status).toBe(401);
  });

  it('is kept as a digest: neither the log nor the state has the cookie', async () => {
    const { cookie } = await signIn();
    const value = cookie.slice('plx_session='.length);
    expect([...world.host.state.sessions.keys()].join()).not.toContain(value);
    expect(world.logged.join()).not.toContain(value);
  });
});
