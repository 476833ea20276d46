/** Sends raw bytes that no HTTP client would send: the service answers with the envelope or closes the connection. */
import { connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { beginsWithName, errorOf } from './check-response.fixture.ts';
import { type FuzzService, openFuzzService, type ServedResponse } from './fuzz-service.fixture.ts';

const HANG_MS = 10_000;
const RUNS = Number(process.env.PARALLAX_FUZZ_RUNS ?? 100);

let service: FuzzService;
beforeAll(async () => {
  service = await openFuzzService();
});
afterAll(() => service.close());

/**
 * Sends bytes and returns everything received until the service closed the connection. `ends` half-closes the socket.
 */
function exchange(bytes: Buffer, ends: boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(service.port, service.host);
    const chunks: Buffer[] = [];
    socket.setTimeout(HANG_MS, () => {
      reject(new Error(`neither a response nor a close within ${HANG_MS} ms`));
      socket.destroy();
    });
    socket.on('data', (chunk) => chunks.push(chunk));
    // The service may close the connection before everything was written.
    socket.on('error', () => {});
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
    // Node closes a half-closed connection, even if a response is still being computed.
    if (ends) socket.end(bytes);
    else socket.write(bytes);
  });
}

/** Parses the first response on a connection; null if there was none. */
function parseResponse(text: string): ServedResponse | null {
  if (text === '') return null;
  const end = text.indexOf('\r\n\r\n');
  const [first = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const length = Number(headers['content-length'] ?? 0);
  const body = Buffer.from(text.slice(end + 4), 'latin1').subarray(0, length);
  return { status: Number(first.split(' ')[1]), headers, text: body.toString() };
}

const send = async (text: string | Buffer, ends = true) => {
  const bytes = typeof text === 'string' ? Buffer.from(text, 'latin1') : text;
  return parseResponse(await exchange(bytes, ends));
};
const withToken = (start: string, more = '') =>
  `${start}\r\nHost: x\r\nAuthorization: Bearer ${service.admin}\r\nConnection: close\r\n${more}`;
const BODY = '{"name":"raw","userId":"u","scopes":["read"]}';
const JSON_TYPE = 'Content-Type: application/json\r\n';

describe('invalid HTTP', () => {
  it.each<[string, string, string | Buffer]>([
    ['a word', 'method', 'hello\r\n\r\n'],
    ['an unknown method', 'method', 'FROB /health HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['another version', 'version', 'GET /health HTTP/9.9\r\nHost: x\r\n\r\n'],
    ['a TLS handshake', 'method', Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03])],
    ['a control character in a header', 'headers', 'GET /health HTTP/1.1\r\nHost: x\r\nX-Request-Id: a\u0000b\r\n\r\n'],
    ['a space in a header name', 'headers', 'GET /health HTTP/1.1\r\nHost: x\r\nX Request: a\r\n\r\n'],
    ['a raw byte in the path', 'path', Buffer.from('GET /h\u0001 HTTP/1.1\r\nHost: x\r\n\r\n', 'latin1')],
    [
      'a Content-Length that is not a number',
      'Content-Length',
      'POST /keys HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n',
    ],
    ['a negative Content-Length', 'Content-Length', 'POST /keys HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n'],
    [
      'two Content-Length headers',
      'Content-Length',
      'POST /keys HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
    ],
    [
      'Content-Length with Transfer-Encoding',
      'Content-Length',
      'POST /keys HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n0\r\n\r\n',
    ],
    [
      'a Transfer-Encoding that is not chunked',
      'Transfer-Encoding',
      'POST /keys HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, nonsense\r\n\r\n',
    ],
    ['no Host', 'Host', 'GET /health HTTP/1.1\r\n\r\n'],
    ['a path that is too long', '', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['headers that are too long', '', `GET /health HTTP/1.1\r\nHost: x\r\nCookie: ${'x'.repeat(20_000)}\r\n\r\n`],
  ])('%s is refused with the envelope, naming the %s', async (_name, field, bytes) => {
    const response = await send(bytes);
    expect(response).not.toBeNull();
    const { code, message } = errorOf(response!);
    expect(code).toBe('bad_request');
    expect(response!.status).toBe(field === '' ? 431 : 400);
    expect(beginsWithName(message, [field === '' ? 'headers' : field]), message).toBe(true);
  });
});

describe('unusual but valid HTTP', () => {
  it.each<[string, number, () => string]>([
    ['HTTP/1.0 without Host', 200, () => 'GET /health HTTP/1.0\r\n\r\n'],
    ['an absolute URL', 200, () => withToken('GET http://x/health HTTP/1.1', '\r\n')],
    ['two slashes', 404, () => withToken('GET //health HTTP/1.1', '\r\n')],
    ['an asterisk', 404, () => withToken('OPTIONS * HTTP/1.1', '\r\n')],
    ['a repeated header', 200, () => withToken('GET /health HTTP/1.1', 'X-Request-Id: a\r\nX-Request-Id: b\r\n\r\n')],
    ['non-ASCII bytes in a header', 200, () => withToken('GET /health HTTP/1.1', 'X-Request-Id: caf\u00e9\r\n\r\n')],
    [
      'a body on a route that ignores it',
      200,
      () => withToken('GET /health HTTP/1.1', `${JSON_TYPE}Content-Length: 1\r\n\r\n{`),
    ],
    [
      'a chunked body',
      201,
      () =>
        withToken(
          'POST /keys HTTP/1.1',
          `${JSON_TYPE}Transfer-Encoding: chunked\r\n\r\n${BODY.length.toString(16)};x=y\r\n${BODY}\r\n0\r\n\r\n`,
        ),
    ],
    [
      'Expect: 100-continue',
      100,
      () =>
        withToken(
          'POST /keys HTTP/1.1',
          `${JSON_TYPE}Expect: 100-continue\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`,
        ),
    ],
    [
      'a control character in an Idempotency-Key',
      201,
      () =>
        withToken(
          'POST /keys HTTP/1.1',
          `${JSON_TYPE}Idempotency-Key: a\tb\u00ff\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`,
        ),
    ],
  ])('%s is answered with %i', async (_name, status, text) => {
    const response = await send(text(), false);
    expect(response?.status, JSON.stringify(response)).toBe(status);
    if (status >= 400) errorOf(response!);
  });

  it.each<[string, string, () => string]>([
    [
      'an invalid chunk',
      'body',
      () => withToken('POST /keys HTTP/1.1', `${JSON_TYPE}Transfer-Encoding: chunked\r\n\r\nzz\r\n`),
    ],
    [
      'a truncated body',
      'body',
      () => withToken('POST /keys HTTP/1.1', `${JSON_TYPE}Content-Length: 500\r\n\r\n${BODY}`),
    ],
  ])('%s is refused or the connection is closed', async (_name, field, text) => {
    const response = await send(text());
    if (response === null) return;
    expect(response.status).toBe(400);
    expect(beginsWithName(errorOf(response).message, [field, 'request'])).toBe(true);
  });

  it('an unsupported Expect is refused with the envelope', async () => {
    const response = await send(withToken('GET /health HTTP/1.1', 'Expect: miracles\r\n\r\n'));
    expect(response?.status).toBe(417);
    expect(errorOf(response!).message).toMatch(/^Expect: /);
  });

  it('CONNECT is refused or its connection is closed', async () => {
    const response = await send('CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n');
    if (response !== null) errorOf(response);
  });
});

it('random bytes are refused with the envelope or the connection is closed', async () => {
  const start = fc.constantFrom(
    '',
    'GET /',
    'GET /v1/events',
    'POST /keys HTTP/1.1\r\n',
    'GET / HTTP/1.1\r\nHost: x\r\n',
  );
  const bytes = fc.tuple(start, fc.uint8Array({ maxLength: 200 }), fc.constantFrom('', '\r\n\r\n'));
  await fc.assert(
    fc.asyncProperty(bytes, async ([text, middle, end]) => {
      const response = await send(Buffer.concat([Buffer.from(text), middle, Buffer.from(end)]));
      if (response === null || response.status < 400) return;
      const { message } = errorOf(response);
      expect(response.status).toBeLessThan(500);
      if (response.status === 400) expect(message).toMatch(/^[\w-]+: /);
    }),
    { numRuns: RUNS },
  );
  expect((await send('GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'))?.status).toBe(200);
});
