/** The edge as a running nginx, in front of servers that answer with what they received. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../bench/service/free-port.ts';
import { PROJECT_ROOT } from './sources.ts';

const START_LIMIT_MS = 10_000;
const ANSWER_LIMIT_MS = 10_000;
const REQUEST_END = 'Connection: close\r\n\r\n';

/** Starts a server that answers every request with its headers and the length of its path, and upgrades with its headers. */
async function startEcho(): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer((request, response) => {
    response.end(JSON.stringify({ ...request.headers, pathLength: request.url?.length }));
  });
  server.on('upgrade', ({ headers }, socket) => {
    const head = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n';
    socket.end(head + JSON.stringify(headers));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

const isMissing = spawnSync('nginx', ['-v'], { stdio: 'ignore' }).status !== 0;
describe.skipIf(isMissing)(isMissing ? 'the edge (needs nginx on the PATH)' : 'the edge', () => {
  let folder: string;
  let nginx: ChildProcess;
  let edge: number;
  let echo: Awaited<ReturnType<typeof startEcho>>;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'parallax-edge-'));
    echo = await startEcho();
    edge = await freePort();
    const configuration = readFileSync(join(PROJECT_ROOT, 'infra/edge/nginx.conf'), 'utf8')
      .replaceAll(' /tmp/', ` ${folder}/`)
      .replace('listen 8080', `listen 127.0.0.1:${edge}`)
      .replace('http://query-api:8080', `http://127.0.0.1:${echo.port}`)
      .replace('http://stream-gateway:8081', `http://127.0.0.1:${echo.port}`)
      .replace('worker_processes auto', 'daemon off; user root; worker_processes 1')
      .replace('error_log /dev/stderr', `error_log ${folder}/errors`)
      .replace('access_log /dev/stdout plain', 'access_log off');
    writeFileSync(join(folder, 'nginx.conf'), configuration);
    nginx = spawn('nginx', ['-c', join(folder, 'nginx.conf')], { stdio: 'ignore' });
    const deadline = Date.now() + START_LIMIT_MS;
    while (!(await answerTo(`GET /edge/health HTTP/1.1\r\nHost: a\r\n${REQUEST_END}`).catch(() => null))) {
      if (Date.now() > deadline) throw new Error(readFileSync(join(folder, 'errors'), 'utf8'));
      await sleep(50);
    }
  });
  afterAll(async () => {
    if (nginx.exitCode === null) {
      nginx.kill();
      await once(nginx, 'exit');
    }
    echo.server.closeAllConnections();
    echo.server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Sends a text to the edge, and resolves with its answer: of the length that it states, or until it closes. */
  async function answerTo(request: string) {
    const socket = connect(edge, '127.0.0.1');
    socket.setTimeout(ANSWER_LIMIT_MS, () => socket.destroy(new Error('no answer of the edge in time')));
    socket.write(request);
    const answer = { status: 0, head: '', body: '' };
    let text = '';
    for await (const chunk of socket.setEncoding('latin1')) {
      text += chunk;
      const [head = '', ...body] = text.split('\r\n\r\n');
      Object.assign(answer, {
        status: Number(head.split(' ')[1]),
        head: head.toLowerCase(),
        body: body.join('\r\n\r\n'),
      });
      if (Number(/\r\ncontent-length: (\d+)/.exec(answer.head)?.[1]) === answer.body.length) break;
    }
    return answer;
  }
  /** The error of an answer of nginx itself. */
  async function errorOf(request: string) {
    const { status, head, body } = await answerTo(request);
    expect(head).toContain('\r\ncontent-type: application/json');
    const { error } = JSON.parse(body) as { error: { code: string; message: string; requestId: string } };
    expect(error.requestId).toMatch(/./);
    expect(head).toContain(`\r\nx-request-id: ${error.requestId.toLowerCase()}`);
    return [status, error.code, error.message];
  }

  it('passes the host, address and protocol of the client to the gateway, which compares the host with the origin', async () => {
    const upgrade = 'Upgrade: websocket\r\nConnection: Upgrade\r\nOrigin: http://edge.example:8080\r\n';
    const { status, body } = await answerTo(
      `GET /v1/stream HTTP/1.1\r\nHost: edge.example:8080\r\nX-Forwarded-Proto: https\r\n${upgrade}\r\n`,
    );
    expect(status).toBe(101);
    expect(JSON.parse(body)).toMatchObject({
      host: 'edge.example:8080',
      origin: 'http://edge.example:8080',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'https',
      upgrade: 'websocket',
      connection: 'upgrade',
    });
  });

  it('passes the same to the query API, without an upgrade', async () => {
    const { body } = await answerTo(`GET /v1/events HTTP/1.1\r\nHost: edge.example:8080\r\n${REQUEST_END}`);
    const received = JSON.parse(body.slice(body.indexOf('{'), body.lastIndexOf('}') + 1)) as object;
    expect(received).toMatchObject({ host: 'edge.example:8080', 'x-forwarded-proto': 'http' });
    expect(received).not.toHaveProperty('upgrade');
  });

  it('passes on a query that the query API accepts, of nearly 16 KiB', async () => {
    const path = `/v1/events?a=${'x'.repeat(15_000)}`;
    const { body } = await answerTo(`GET ${path} HTTP/1.1\r\nHost: a\r\n${REQUEST_END}`);
    expect(body).toContain(`"pathLength":${path.length}`);
  });

  it.each([
    ['a path above 32 KiB', `GET /?${'x'.repeat(40_000)} HTTP/1.1\r\nHost: a\r\n`, 431, 'bad_request', '16 KiB'],
    [
      'a header above 32 KiB',
      `GET / HTTP/1.1\r\nHost: a\r\na: ${'x'.repeat(40_000)}\r\n`,
      431,
      'bad_request',
      '16 KiB',
    ],
    [
      'a body above 1 MiB',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1048577\r\n',
      413,
      'validation_failed',
      '1 MiB',
    ],
    ['the method TRACE', 'TRACE / HTTP/1.1\r\nHost: a\r\n', 405, 'method_not_allowed', 'method'],
    ['what is no request', 'nonsense\r\n', 400, 'bad_request', 'not valid HTTP'],
    ['a request without a host', 'GET / HTTP/1.1\r\n', 400, 'bad_request', 'not valid HTTP'],
    ['an unknown version of HTTP', 'GET / HTTP/3.0\r\nHost: a\r\n', 400, 'bad_request', 'not valid HTTP'],
    [
      'an unknown transfer coding',
      'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: b\r\n',
      501,
      'bad_request',
      'chunked',
    ],
  ])('answers %s itself, as JSON', async (_, request, status, code, message) => {
    expect(await errorOf(request + REQUEST_END)).toEqual([status, code, expect.stringContaining(message)]);
  });

  it('echoes the id of a request that can stand in JSON, and generates one for any other', async () => {
    const idOf = async (header: string) => {
      const request = `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1048577\r\nX-Request-Id: ${header}\r\n${REQUEST_END}`;
      return (JSON.parse((await answerTo(request)).body) as { error: { requestId: string } }).error.requestId;
    };
    for (const id of ['big-1', 'Ab c/[x]~!'.repeat(12)]) expect(await idOf(id)).toBe(id);
    for (const id of ['a"b', 'a\\b', 'a'.repeat(129)]) expect(await idOf(id)).toMatch(/^[0-9a-f]{32}$/);
  });

  it('accepts a body of 1 MiB', async () => {
    const length = 1024 * 1024;
    const head = `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n${REQUEST_END}`;
    expect((await answerTo(head + 'x'.repeat(length))).status).toBe(200);
  });

  it('answers 503 as JSON, with the time to wait, while no container can be reached', async () => {
    echo.server.closeAllConnections();
    await new Promise((resolve) => echo.server.close(resolve));
    for (const path of ['/v1/events', '/v1/stream']) {
      const request = `GET ${path} HTTP/1.1\r\nHost: a\r\n${REQUEST_END}`;
      expect((await answerTo(request)).head).toContain('\r\nretry-after: 1');
      expect(await errorOf(request)).toEqual([503, 'internal_error', expect.stringMatching(/no process can answer/)]);
    }
  });
});
