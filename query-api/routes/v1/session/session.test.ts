import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestService, type TestService } from '../../../testing/test-service.fixture.ts';

let service: TestService;
beforeAll(async () => {
  service = await openTestService();
});
afterAll(() => service.close());

const signIn = async (token = service.admin) => {
  const got = await service.request('POST', '/v1/session', { token });
  expect([got.status, got.text]).toEqual([204, '']);
  const header = String(got.headers['set-cookie']);
  return { header, cookie: header.split(';')[0]! };
};
const by = (cookie: string, more: Record<string, string> = {}) => ({ token: null, headers: { cookie, ...more } });
const csrf = async (cookie: string) => (await service.request('GET', '/v1/session', by(cookie))).body.csrf as string;

describe('a portal session', () => {
  it('is a cookie that scripts and other sites cannot access', async () => {
    const { header } = await signIn();
    expect(header).toMatch(/^plx_session=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/);
    for (const host of ['api.example', 'localhost.example', '127.0.0.1.example:80', '10.0.0.1']) {
      const got = await service.request('POST', '/v1/session', { headers: { host } });
      expect(got.headers['set-cookie'], host).toMatch(/; Secure$/);
    }
  });

  it('acts as its key, and requires the CSRF header for changes', async () => {
    const { cookie } = await signIn();
    const { body: session } = await service.request('GET', '/v1/session', by(cookie));
    expect(session).toMatchObject({ userId: 'admin', sandbox: false, plan: 'enterprise' });
    expect(Date.parse(session.expiresAt) - Date.now()).toBeGreaterThan(11.9 * 3_600_000);
    expect((await service.request('GET', '/keys', by(cookie))).status).toBe(200);
    const body = { name: 'by session', userId: 'u', scopes: ['read'] };
    for (const wrong of [{}, { 'x-parallax-csrf': '' }, { 'x-parallax-csrf': 'x'.repeat(43) }]) {
      const got = await service.request('POST', '/keys', { ...by(cookie, wrong as Record<string, string>), body });
      expect([got.status, got.body.error.code]).toEqual([403, 'forbidden_scope']);
      expect(got.body.error.message).toContain('X-Parallax-Csrf');
    }
    const other = await csrf((await signIn()).cookie);
    expect((await service.request('POST', '/keys', { ...by(cookie, { 'x-parallax-csrf': other }), body })).status).toBe(
      403,
    );
    const good = by(cookie, { 'x-parallax-csrf': session.csrf });
    expect((await service.request('POST', '/keys', { ...good, body })).status).toBe(201);
  });

  it('returns the URL of the stream on the requested host, with TLS if the request used it', async () => {
    const { cookie } = await signIn();
    const streamUrl = async (more: Record<string, string>) =>
      (await service.request('GET', '/v1/session', by(cookie, more))).body.streamUrl;
    expect(await streamUrl({ host: 'portal.example:8080' })).toBe('ws://portal.example:8081/v1/stream');
    const secure = { host: 'portal.example', 'x-forwarded-proto': 'https, http' };
    expect(await streamUrl(secure)).toBe('wss://portal.example:8081/v1/stream');
  });

  it('has only the scopes of its key', async () => {
    const { token } = await service.key(service.admin, ['read']);
    const { cookie } = await signIn(token);
    expect((await service.request('GET', '/keys', by(cookie))).status).toBe(403);
    expect((await service.request('GET', '/v1/me/wallets', by(cookie))).status).toBe(200);
  });

  it('ends when the portal signs out', async () => {
    const { cookie } = await signIn();
    const headers = { 'x-parallax-csrf': await csrf(cookie) };
    expect((await service.request('DELETE', '/v1/session', by(cookie))).status).toBe(403);
    const ended = await service.request('DELETE', '/v1/session', by(cookie, headers));
    expect(ended.status).toBe(204);
    expect(ended.headers['set-cookie']).toMatch(/^plx_session=; .*Max-Age=0/);
    expect((await service.request('GET', '/v1/session', by(cookie))).status).toBe(401);
    expect((await service.request('DELETE', '/v1/session')).status).toBe(404);
  });

  it('ends when its key is revoked', async () => {
    const key = await service.key(service.admin, ['read']);
    const { cookie } = await signIn(key.token);
    await service.request('DELETE', `/keys/${key.id}`);
    expect((await service.request('GET', '/v1/session', by(cookie))).status).toBe(401);
  });

  it('cannot be opened by another session or by an unknown cookie', async () => {
    const { cookie } = await signIn();
    const headers = { 'x-parallax-csrf': await csrf(cookie) };
    expect((await service.request('POST', '/v1/session', by(cookie, headers))).status).toBe(401);
    for (const wrong of [`plx_session=${'A'.repeat(43)}`, 'plx_session=', 'plx_session', 'other=1'])
      expect((await service.request('GET', '/v1/session', by(wrong))).status, wrong).toBe(401);
    // A token takes precedence over the cookie.
    expect((await service.request('GET', '/keys', { token: 'plx_live_x', headers: { cookie } })).status).toBe(401);
  });

  it('is stored as a digest: neither the logs nor the state contain the cookie', async () => {
    const { cookie } = await signIn();
    const value = cookie.slice('plx_session='.length);
    expect([...service.control.state.sessions.keys()].join()).not.toContain(value);
    expect(service.logLines.join()).not.toContain(value);
  });
});
