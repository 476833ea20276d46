import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RequestedAddress } from '../http/stream-url.ts';
import { createTestApp, type TestApp } from '../testing/test-app.fixture.ts';
import { originOf } from './page-headers.ts';
import { readPortalFiles } from './portal-files.ts';

const KIB = 1024;
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
  "connect-src 'self' ws://portal.example:9; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
  "require-trusted-types-for 'script'; trusted-types 'none'";
const HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
};

const files = readPortalFiles();
const [script] = files.first;
let app: TestApp;
beforeAll(async () => {
  const portal = { files, streamUrlOf: ({ host }: RequestedAddress) => `ws://${host.split(':')[0]}:9/v1/stream` };
  app = await createTestApp({ app: { portal } });
});
afterAll(() => app.app.close());
const get = (url: string, headers: Record<string, string> = {}) =>
  app.request('GET', url, { host: 'portal.example:80', ...headers });

describe('the served portal', () => {
  it.each(['/', '/portal'])('leads from %s to its home', async (path) => {
    const got = await get(path);
    expect([got.status, got.headers.location]).toEqual([302, '/portal/']);
    expect(got.headers).toMatchObject(HEADERS);
  });

  it.each(['/portal/', '/portal/events/ue_1', '/portal/login?next=/portal/keys', '/portal/a/b/c/d'])(
    'answers %s with the shell, which is revalidated each time',
    async (path) => {
      const got = await get(path);
      expect(got.status).toBe(200);
      expect(got.headers).toMatchObject({
        ...HEADERS,
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
        etag: files.etag,
      });
      const again = await get(path, { 'if-none-match': files.etag });
      expect([again.status, again.body]).toEqual([304, '']);
      expect(again.headers).toMatchObject({ ...HEADERS, etag: files.etag });
    },
  );

  it('needs no token, and is there while the service starts', async () => {
    app.setReady(false);
    const got = await get('/portal/').finally(() => app.setReady(true));
    expect(got.status).toBe(200);
  });

  it('serves assets that never change under their names', async () => {
    const got = await get(`/portal/assets/${script}`);
    expect(got.headers).toMatchObject({
      ...HEADERS,
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    expect(got.body).toBe(files.assets.get(script!)!.plain.toString());
    for (const name of files.assets.keys()) expect(name).toMatch(/^[\w-]+\.[A-Z0-9]{8}\.(js|css)$/);
  });

  it('answers 404 for an asset of another name', async () => {
    for (const name of ['portal.js', '..%2findex.html', 'constructor'])
      expect((await get(`/portal/assets/${name}`)).status, name).toBe(404);
  });

  it('sends what was compressed at build time', async () => {
    const plain = (await get('/portal/')).bytes;
    for (const [encoding, decode] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const got = await get('/portal/', { 'accept-encoding': encoding });
      expect(got.headers['content-encoding']).toBe(encoding);
      expect(decode(got.bytes)).toEqual(plain);
    }
  });

  it('allows GET and HEAD only', async () => {
    expect((await app.request('HEAD', '/portal/keys')).status).toBe(200);
    for (const path of ['/', '/portal/', '/portal/keys', `/portal/assets/${script}`])
      for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
        const got = await app.request(method, path);
        expect([got.status, got.headers.allow], `${method} ${path}`).toEqual([405, 'GET, HEAD']);
      }
  });

  it('is not there when it is turned off', async () => {
    const off = await createTestApp();
    for (const path of ['/', '/portal', '/portal/', '/portal/keys', `/portal/assets/${script}`])
      expect((await off.request('GET', path)).status, path).toBe(404);
    await off.app.close();
  });
});

describe('the shell', () => {
  const html = files.shell.plain.toString();

  it('has no inline script or style, and loads nothing from elsewhere', () => {
    expect(html).not.toMatch(/<style|<script(?![^>]* src=)|\sstyle=|\son\w+=/);
    const urls = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map((found) => found[1]!);
    expect(urls.filter((url) => !url.startsWith('/portal/assets/') && !url.startsWith('data:'))).toEqual([]);
    expect(urls.map((url) => url.split('/').at(-1)!).filter((name) => files.assets.has(name))).toHaveLength(
      files.first.length,
    );
  });
});

describe('the sizes of the portal', () => {
  const gzipOf = (names: Iterable<string>) =>
    [...names].reduce((sum, name) => sum + files.assets.get(name)!.compressed.gzip.length, 0);

  it('are at most 100 KiB for the first page and 350 KiB for everything, compressed with gzip', () => {
    const shell = files.shell.compressed.gzip.length;
    expect(files.overview.filter((name) => /^(portal|style|overview)\./.test(name))).toHaveLength(3);
    expect(shell + gzipOf(files.overview)).toBeLessThanOrEqual(100 * KIB);
    expect(shell + gzipOf(files.assets.keys())).toBeLessThanOrEqual(350 * KIB);
  });
});

describe('the origin of the stream in the policy', () => {
  it.each([
    ['ws://127.0.0.1:8081/v1/stream', 'ws://127.0.0.1:8081'],
    ['wss://stream.example/v1/stream', 'wss://stream.example'],
    ["ws://a; script-src 'unsafe-inline':1/v1/stream", null],
  ])('of %s is %s', (url, origin) => {
    expect(originOf(url)).toBe(origin);
  });
});
