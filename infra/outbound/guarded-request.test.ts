import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ANSWER_BODY_MAX } from './exchange.ts';
import { countingClient, httpServer, leadingTo, rawServer, type TestServer, tlsServer } from './servers.fixture.ts';
import { TEST_CERTIFICATE } from './tls.fixture.ts';

const PUBLIC = '93.184.215.14';
const servers: TestServer[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const server of servers.splice(0)) await server.close();
});
async function use<T extends TestServer>(starting: Promise<T>): Promise<T> {
  const server = await starting;
  servers.push(server);
  return server;
}
const urlOf = (server: TestServer, path = '/') => `http://127.0.0.1:${server.port}${path}`;
const local = (timeoutMs = 5_000) => countingClient({ allowLoopback: true, timeoutMs });

describe('an answer', () => {
  it.each([200, 204, 400, 410, 429, 500, 503])('returns its status %d', async (status) => {
    const server = await use(httpServer((_request, response) => response.writeHead(status).end()));
    expect(await local().post(urlOf(server))).toEqual({
      status,
      retryAfterMs: null,
      durationMs: expect.any(Number),
    });
  });

  it('follows a POST with the given bytes and headers, over a connection of its own', async () => {
    const seen: unknown[] = [];
    const server = await use(
      httpServer(async (request, response) => {
        const chunks = await request.toArray();
        const { host, connection, 'content-type': type, 'content-length': length, 'x-a': a } = request.headers;
        seen.push([request.method, request.url, host, connection, type, length, a, Buffer.concat(chunks).toString()]);
        response.end('ok');
      }),
    );
    const { count, post } = local();
    const headers = { 'Content-Type': 'application/json', 'x-a': 'b', host: 'evil', connection: 'keep-alive' };
    const more = { 'content-length': '1', 'transfer-encoding': 'chunked' };
    for (const body of ['{"ü":1}', '']) await post(urlOf(server, '/a?b=c#d'), { ...headers, ...more }, body);
    const host = `127.0.0.1:${server.port}`;
    expect(seen).toEqual([
      ['POST', '/a?b=c', host, 'close', 'application/json', '8', 'b', '{"ü":1}'],
      ['POST', '/a?b=c', host, 'close', 'application/json', '0', 'b', ''],
    ]);
    expect(count.connects).toBe(2);
    expect(server.connections()).toBe(2);
  });

  it('is reached at localhost without the resolver', async () => {
    const server = await use(httpServer((_request, response) => response.end()));
    const { count, post } = local();
    expect(await post(`http://localhost:${server.port}/`)).toMatchObject({ status: 200 });
    expect(count.resolves).toBe(0);
  });

  it('returns Retry-After from seconds and from a date', async () => {
    const values = ['120', new Date(Date.now() + 60_000).toUTCString(), 'soon'];
    const server = await use(
      httpServer((_request, response) => response.writeHead(429, { 'retry-after': values.shift()! }).end()),
    );
    const { post } = local();
    expect(await post(urlOf(server))).toMatchObject({ status: 429, retryAfterMs: 120_000 });
    const dated = await post(urlOf(server));
    expect('retryAfterMs' in dated && dated.retryAfterMs).toBeGreaterThan(50_000);
    expect(await post(urlOf(server))).toMatchObject({ retryAfterMs: null });
  });

  it('with a huge body is read only in part', async () => {
    let written = 0;
    const server = await use(
      httpServer((_request, response) => {
        response.on('error', () => response.destroy());
        const push = () => {
          while (!response.destroyed && response.write(Buffer.alloc(65_536))) written += 65_536;
        };
        response.on('drain', push);
        push();
      }),
    );
    expect(await local().post(urlOf(server))).toMatchObject({ status: 200 });
    // The client does not control the buffers of the system.
    expect(written).toBeLessThan(ANSWER_BODY_MAX + 20_000_000);
  });

  it('with a body up to the limit is read to its end', async () => {
    let finished = 0;
    const server = await use(
      httpServer((_request, response) => {
        response.on('finish', () => {
          finished += 1;
        });
        response.end(Buffer.alloc(ANSWER_BODY_MAX));
      }),
    );
    expect(await local().post(urlOf(server))).toMatchObject({ status: 200 });
    expect(finished).toBe(1);
  });

  it('may end with the connection', async () => {
    const server = await use(rawServer((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nhello')));
    expect(await local().post(urlOf(server))).toMatchObject({ status: 200 });
  });
});

describe('a target that answers badly', () => {
  const head = 'HTTP/1.1 200 OK\r\n';
  it.each([
    ['huge headers', `${head}X: ${'a'.repeat(20_000)}\r\n\r\n`, 'bad_response'],
    ['many headers', `${head}${'X: aaaaaaaa\r\n'.repeat(2_000)}\r\n`, 'bad_response'],
    ['no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', 'bad_response'],
    ['a broken chunk', `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, 'bad_response'],
    ['two lengths', `${head}Content-Length: 1\r\nContent-Length: 2\r\n\r\na`, 'bad_response'],
    ['an upgrade', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n', 'bad_response'],
    ['interim answers without end', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100), 'bad_response'],
    ['a status of its own', 'HTTP/1.1 999 Ok\r\nContent-Length: 0\r\n\r\n', 'bad_response'],
    ['nothing', '', 'reset'],
    ['half a head', head, 'reset'],
    ['half a body', `${head}Content-Length: 10\r\n\r\nabc`, 'reset'],
  ])('with %s', async (_what, text, error) => {
    const server = await use(rawServer((socket) => socket.end(text)));
    expect(await local().post(urlOf(server))).toEqual({ error, durationMs: expect.any(Number) });
  });

  it.each(['', head, `${head}Content-Length: 10\r\n\r\nabc`])('by a reset after %j', async (text) => {
    const server = await use(
      rawServer((socket) => socket.write(text, () => setTimeout(() => socket.resetAndDestroy(), 20))),
    );
    expect(await local().post(urlOf(server))).toMatchObject({ error: 'reset' });
  });
});

describe('the deadline', () => {
  const TIMEOUT_MS = 200;
  const expectTimeout = async (post: Promise<unknown>) => {
    const startedAt = performance.now();
    expect(await post).toEqual({ error: 'timeout', durationMs: expect.any(Number) });
    expect(performance.now() - startedAt).toBeGreaterThan(TIMEOUT_MS - 10);
    expect(performance.now() - startedAt).toBeLessThan(TIMEOUT_MS + 2_000);
  };
  const drip = (socket: Socket, text: string) => {
    const timer = setInterval(() => socket.write(text), 20);
    socket.on('close', () => clearInterval(timer));
  };

  it.each<[string, (socket: Socket) => void]>([
    ['sends nothing', () => {}],
    ['drips its head', (socket) => socket.write('HTTP/1.1 200 OK\r\n', () => drip(socket, 'X: a\r\n'))],
    ['stops in its head', (socket) => void socket.write('HTTP/1.1 200 OK\r\n')],
    ['drips its body', (socket) => socket.write('HTTP/1.1 200 OK\r\n\r\n', () => drip(socket, 'a'))],
    ['stops in its body', (socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\na')],
  ])('ends a request to a target that %s, and its connection', async (_what, answer) => {
    let closed = 0;
    const server = await use(
      rawServer((socket) => {
        socket.on('close', () => {
          closed += 1;
        });
        answer(socket);
      }),
    );
    await expectTimeout(local(TIMEOUT_MS).post(urlOf(server)));
    await expect.poll(() => closed).toBe(1);
  });

  it('ends a connection that is never established', async () => {
    const sockets: Socket[] = [];
    const { post } = countingClient({
      allowLoopback: true,
      timeoutMs: TIMEOUT_MS,
      connect: () => sockets[sockets.push(new Socket()) - 1]!,
    });
    await expectTimeout(post('http://127.0.0.1:3000/'));
    expect(sockets.map((socket) => socket.destroyed)).toEqual([true]);
  });

  it('ends a handshake that never completes', async () => {
    const server = await use(rawServer(() => {}));
    await expectTimeout(local(TIMEOUT_MS).post(`https://127.0.0.1:${server.port}/`));
  });

  it('ends the wait for a name, and opens no connection if the name resolves later', async () => {
    const aborted: boolean[] = [];
    const { count, post } = countingClient({
      timeoutMs: TIMEOUT_MS,
      resolve: async (_name, signal) => {
        await sleep(TIMEOUT_MS + 100);
        aborted.push(signal.aborted);
        return [PUBLIC];
      },
    });
    await expectTimeout(post('https://hooks.example.com/'));
    await expect.poll(() => aborted).toEqual([true]);
    await sleep(20);
    expect(count).toEqual({ connects: 0, resolves: 1 });
  });

  it("is not the only way to end a request: the caller's signal is another", async () => {
    const server = await use(rawServer(() => {}));
    const ending = new AbortController();
    const { count, post } = local();
    const outcome = post(urlOf(server), {}, 'a', ending.signal);
    await expect.poll(() => server.bytes()).toBeGreaterThan(0);
    ending.abort();
    expect(await outcome).toMatchObject({ error: 'aborted' });
    expect(await post(urlOf(server), {}, 'a', ending.signal)).toMatchObject({ error: 'aborted' });
    expect(count.connects).toBe(1);
  });
});

describe('on the way', () => {
  it.each(['127.0.0.1', 'localhost'])('a closed port at %s is connect_failed', async (host) => {
    const server = await httpServer(() => {});
    await server.close();
    expect(await local().post(`http://${host}:${server.port}/`)).toMatchObject({ error: 'connect_failed' });
  });

  it('a name without addresses is dns_failed, however the resolver reports it', async () => {
    expect(await countingClient().post('https://hooks.example.com/')).toMatchObject({ error: 'dns_failed' });
    const { count, post } = countingClient({ resolve: async () => [] });
    expect(await post('https://hooks.example.com/')).toMatchObject({ error: 'dns_failed' });
    expect(count.connects).toBe(0);
  });

  it('errors of this side are thrown and do not count against the target', async () => {
    const exhausted = countingClient({
      allowLoopback: true,
      connect: () => new Socket().destroy(Object.assign(new Error('too many open files'), { code: 'EMFILE' })),
    });
    await expect(exhausted.post('http://127.0.0.1:3000/')).rejects.toThrow('too many open files');
    const faulty = countingClient({ resolve: () => Promise.reject(new TypeError('x is not a function')) });
    await expect(faulty.post('https://hooks.example.com/')).rejects.toThrow('x is not a function');
    const server = await use(httpServer((_request, response) => response.end()));
    await expect(local().post(urlOf(server), { 'X-A': 'a\r\nHost: b' })).rejects.toThrow('Invalid character');
  });
});

describe('TLS', () => {
  const namedServer = (port: number, ca?: string) =>
    countingClient({
      resolve: async () => [PUBLIC],
      connect: leadingTo(port, PUBLIC),
      ...(ca ? { ca } : {}),
    });

  it('names the target in the handshake and checks its certificate for that name', async () => {
    const server = await use(tlsServer());
    const { post } = namedServer(server.port, TEST_CERTIFICATE);
    expect(await post('https://hooks.example.com/')).toMatchObject({ status: 204 });
    expect(await post('https://other.example.com/')).toMatchObject({ error: 'tls_failed' });
    // The client aborts the second handshake.
    expect(server.names).toEqual(['hooks.example.com']);
  });

  it('checks an address against the certificate as an address', async () => {
    const server = await use(tlsServer());
    const loopback = countingClient({ allowLoopback: true, ca: TEST_CERTIFICATE });
    expect(await loopback.post(`https://127.0.0.1:${server.port}/`)).toMatchObject({ status: 204 });
    expect(await loopback.post(`https://localhost:${server.port}/`)).toMatchObject({ status: 204 });
    const elsewhere = namedServer(server.port, TEST_CERTIFICATE);
    expect(await elsewhere.post(`https://${PUBLIC}/`)).toMatchObject({ error: 'tls_failed' });
  });

  it('trusts no self-signed certificate, whatever the environment variables are', async () => {
    const server = await use(tlsServer());
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    expect(await namedServer(server.port).post('https://hooks.example.com/')).toMatchObject({ error: 'tls_failed' });
  });

  it('is required: a server with plain HTTP is tls_failed and gets no request', async () => {
    let requests = 0;
    const server = await use(
      httpServer((_request, response) => {
        requests += 1;
        response.end();
      }),
    );
    expect(await namedServer(server.port).post('https://hooks.example.com/')).toMatchObject({ error: 'tls_failed' });
    expect(requests).toBe(0);
  });
});
