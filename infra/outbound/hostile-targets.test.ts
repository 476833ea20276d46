import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseUrl } from '../runtime/parse-url.ts';
import { asUrls, HOSTILE_ANSWERS, hostileUrls, notationsOf } from './hostile-targets.fixture.ts';
import { countingClient, httpServer, leadingTo, type TestServer } from './servers.fixture.ts';

const PUBLIC = '93.184.215.14';

/** Listens at the loopback address of the URLs, so that a leak is visible as a connection. */
let server: TestServer;
beforeAll(async () => {
  server = await httpServer((_request, response) => response.writeHead(200).end());
});
afterAll(() => server.close());
/** Directs every connection to the server, so that the test never reaches a private network even if there is a leak. */
const toServer = () => leadingTo(server.port);

const isLoopback = (url: string) =>
  /^https?:\/\/(localhost|127[.\d]*|\[::1\])\.?:/i.test(url) && parseUrl(url) !== null;

describe('hostile targets', () => {
  it('include more than 1000 URLs and 200 answers', () => {
    expect(hostileUrls(server.port).length).toBeGreaterThan(1_000);
    expect(HOSTILE_ANSWERS.length).toBeGreaterThan(200);
  });

  it.each([false, true])('lead to no connection and no lookup (allowLoopback %s)', async (allowLoopback) => {
    const before = server.connections();
    const { count, post } = countingClient({ allowLoopback, resolve: async () => ['127.0.0.1'], connect: toServer() });
    // With the test setting, loopback URLs are allowed and therefore left out, in every notation.
    const isHostile = (url: string) => !allowLoopback || !isLoopback(parseUrl(url)?.href ?? '');
    const leaks: string[] = [];
    for (const url of hostileUrls(server.port).filter(isHostile)) {
      const outcome = await post(url);
      if (!('error' in outcome) || outcome.error !== 'invalid_target' || count.connects + count.resolves > 0) {
        leaks.push(url);
        Object.assign(count, { connects: 0, resolves: 0 });
      }
    }
    expect(leaks).toEqual([]);
    expect(server.connections()).toBe(before);
  });

  it('would be reached in each of these notations if they were not refused', async () => {
    const { post } = countingClient({ allowLoopback: true });
    const before = server.connections();
    const urls = asUrls(notationsOf('127.0.0.1'), server.port).map((url) => url.replace('https:', 'http:'));
    for (const url of urls) expect([url, await post(url)]).toEqual([url, expect.objectContaining({ status: 200 })]);
    expect(server.connections() - before).toBe(urls.length);
  });

  it.each([false, true])('lead to no connection through a name (allowLoopback %s)', async (allowLoopback) => {
    const before = server.connections();
    const leaks: string[] = [];
    for (const addresses of HOSTILE_ANSWERS) {
      const { count, post } = countingClient({ allowLoopback, resolve: async () => addresses, connect: toServer() });
      const outcome = await post(`https://hooks.example.com:${server.port}/`);
      const isBlocked = 'error' in outcome && outcome.error === 'blocked_address';
      if (!isBlocked || count.connects > 0 || count.resolves !== 1) leaks.push(addresses.join());
    }
    expect(leaks).toEqual([]);
    expect(server.connections()).toBe(before);
  });

  it.each([
    [['127.0.0.1'], ['127.0.0.1']],
    [['169.254.169.254'], ['10.0.0.1']],
    [['::1'], ['::ffff:127.0.0.1']],
  ])('gain nothing from a name server that answers first with a public address and then with %j', async (...later) => {
    const answers = [[PUBLIC, '2606:4700:4700::1111'], ...later];
    const lookups: unknown[] = [];
    const { count, post } = countingClient({
      resolve: async () => answers.shift()!,
      connect: (where) => {
        // The lookups of net.connect, in both forms and repeated.
        for (const all of [true, false, true, false])
          where.lookup!(where.host!, { all }, (...answer) => lookups.push(answer));
        return leadingTo(server.port, PUBLIC)(where);
      },
    });
    await post(`https://hooks.example.com:${server.port}/`);
    const all = [
      { address: PUBLIC, family: 4 },
      { address: '2606:4700:4700::1111', family: 6 },
    ];
    expect(lookups).toEqual([
      [null, all],
      [null, PUBLIC, 4],
      [null, all],
      [null, PUBLIC, 4],
    ]);
    expect(count).toEqual({ connects: 1, resolves: 1 });
  });

  it('get no byte through a connection to another address', async () => {
    const before = server.bytes();
    const { count, post } = countingClient({ resolve: async () => [PUBLIC], connect: leadingTo(server.port) });
    const outcome = await post(`https://hooks.example.com:${server.port}/`);
    expect(outcome).toMatchObject({ error: 'blocked_address' });
    expect(count.connects).toBe(1);
    expect(server.bytes()).toBe(before);
  });

  it.each([301, 302, 303, 307, 308])('are not reached by a redirect with %d', async (status) => {
    const redirecting = await httpServer((_request, response) =>
      response.writeHead(status, { location: `http://127.0.0.1:${server.port}/` }).end(),
    );
    const before = server.connections();
    const { count, post } = countingClient({ allowLoopback: true });
    expect(await post(`http://127.0.0.1:${redirecting.port}/`)).toMatchObject({ status });
    expect(count.connects).toBe(1);
    expect(redirecting.connections()).toBe(1);
    expect(server.connections()).toBe(before);
    await redirecting.close();
  });
});
