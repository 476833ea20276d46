/** What no HTTP client would send, byte by byte: still answered in the envelope, or the connection ends at once. */
import { connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { beginsWithName, errorOf } from './check-answer.fixture.ts';
import { type Answered, type FuzzWorld, openFuzzWorld } from './fuzz-world.fixture.ts';

const HANG_MS = 10_000;
const RUNS = Number(process.env.PARALLAX_FUZZ_RUNS ?? 100);

let world: FuzzWorld;
beforeAll(async () => {
  world = await openFuzzWorld();
});
afterAll(() => world.close());

/** Sends bytes, by default says that no more come, and gives all that came until the service ended the connection. */
function exchange(bytes: Buffer, ends: boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(world.port, world.host);
    const chunks: Buffer[] = [];
    socket.setTimeout(HANG_MS, () => {
      reject(new Error(`neither an answer nor an end within ${HANG_MS} ms`));
      socket.destroy();
    });
    socket.on('data', (chunk) => chunks.push(chunk));
    // The service may end a connection before all was written.
    socket.on('error', () => {});
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
    // To Node the end of what is sent is the end of the connection, also while an answer is worked out.
    if (ends) socket.end(bytes);
    else socket.write(bytes);
  });
}

/** The first answer on a connection; null when it ended without one. */
function readAnswer(text: string): Answered | null {
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

const ask = async (text: string | Buffer, ends = true) => {
  const bytes = typeof text === 'string' ? Buffer.from(text, 'latin1') : text;
  return readAnswer(await exchange(bytes, ends));
};
const withToken = (start: string, more = '') =>
  `${start}\r\nHost: x\r\nAuthorization: Bearer ${world.admin}\r\nConnection: close\r\n${more}`;
const BODY = '{"name":"raw","userId":"u","scopes":["read"]}';
const JSON_TYPE = 'Content-Type: application/json\r\n';

describe('what is no request', () => {
  it.each<[string, string, string | Buffer]>([
    ['a word', 'method', 'hello\r\n\r\n'],
    ['a method that there is not', 'method', 'FROB /health HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['another version', 'version', 'GET /health HTTP/9.9\r\nHost: x\r\n\r\n'],
    ['a handshake of TLS', 'method', Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03])],
    ['a control character in a header', 'headers', 'GET /health HTTP/1.1\r\nHost: x\r\nX-Request-Id: a\u0000b\r\n\r\n'],
    ['a blank in the name of a header', 'headers', 'GET /health HTTP/1.1\r\nHost: x\r\nX Request: a\r\n\r\n'],
    ['a raw byte in the path', 'path', Buffer.from('GET /h\u0001 HTTP/1.1\r\nHost: x\r\n\r\n', 'latin1')],
    ['a length that is no number', 'Content-Length', 'POST /keys HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n'],
    ['a length below zero', 'Content-Length', 'POST /keys HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n'],
    [
      'two lengths',
      'Content-Length',
      'POST /keys HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
    ],
    [
      'a length beside chunks',
      'Content-Length',
      'POST /keys HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n0\r\n\r\n',
    ],
    [
      'an encoding that is not chunked',
      'Transfer-Encoding',
      'POST /keys HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, nonsense\r\n\r\n',
    ],
    ['no Host', 'Host', 'GET /health HTTP/1.1\r\n\r\n'],
    ['a path that never ends', '', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['headers that never end', '', `GET /health HTTP/1.1\r\nHost: x\r\nCookie: ${'x'.repeat(20_000)}\r\n\r\n`],
  ])('%s is refused in the envelope, naming the %s', async (_name, field, bytes) => {
    const answer = await ask(bytes);
    expect(answer).not.toBeNull();
    const { code, message } = errorOf(answer!);
    expect(code).toBe('bad_request');
    expect(answer!.status).toBe(field === '' ? 431 : 400);
    expect(beginsWithName(message, [field === '' ? 'headers' : field]), message).toBe(true);
  });
});

describe('what is a request, oddly told', () => {
  it.each<[string, number, () => string]>([
    ['HTTP/1.0 without Host', 200, () => 'GET /health HTTP/1.0\r\n\r\n'],
    ['a whole URL', 200, () => withToken('GET http://x/health HTTP/1.1', '\r\n')],
    ['two slashes', 404, () => withToken('GET //health HTTP/1.1', '\r\n')],
    ['an asterisk', 404, () => withToken('OPTIONS * HTTP/1.1', '\r\n')],
    ['two of one header', 200, () => withToken('GET /health HTTP/1.1', 'X-Request-Id: a\r\nX-Request-Id: b\r\n\r\n')],
    ['bytes in a header', 200, () => withToken('GET /health HTTP/1.1', 'X-Request-Id: caf\u00e9\r\n\r\n')],
    [
      'a body where none is looked at',
      200,
      () => withToken('GET /health HTTP/1.1', `${JSON_TYPE}Content-Length: 1\r\n\r\n{`),
    ],
    [
      'chunks',
      201,
      () =>
        withToken(
          'POST /keys HTTP/1.1',
          `${JSON_TYPE}Transfer-Encoding: chunked\r\n\r\n${BODY.length.toString(16)};x=y\r\n${BODY}\r\n0\r\n\r\n`,
        ),
    ],
    [
      'an expectation that is met',
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
  ])('%s: %i', async (_name, status, text) => {
    const answer = await ask(text(), false);
    expect(answer?.status, JSON.stringify(answer)).toBe(status);
    if (status >= 400) errorOf(answer!);
  });

  it.each<[string, string, () => string]>([
    [
      'a chunk that is none',
      'body',
      () => withToken('POST /keys HTTP/1.1', `${JSON_TYPE}Transfer-Encoding: chunked\r\n\r\nzz\r\n`),
    ],
    [
      'a body that ends too soon',
      'body',
      () => withToken('POST /keys HTTP/1.1', `${JSON_TYPE}Content-Length: 500\r\n\r\n${BODY}`),
    ],
  ])('%s is refused or the connection ends', async (_name, field, text) => {
    const answer = await ask(text());
    if (answer === null) return;
    expect(answer.status).toBe(400);
    expect(beginsWithName(errorOf(answer).message, [field, 'request'])).toBe(true);
  });

  it('an expectation that nobody meets is refused in the envelope', async () => {
    const answer = await ask(withToken('GET /health HTTP/1.1', 'Expect: miracles\r\n\r\n'));
    expect(answer?.status).toBe(417);
    expect(errorOf(answer!).message).toMatch(/^Expect: /);
  });

  it('a tunnel is refused or the connection ends', async () => {
    const answer = await ask('CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n');
    if (answer !== null) errorOf(answer);
  });
});

it('any bytes at all', async () => {
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
      const answer = await ask(Buffer.concat([Buffer.from(text), middle, Buffer.from(end)]));
      if (answer === null || answer.status < 400) return;
      const { message } = errorOf(answer);
      expect(answer.status).toBeLessThan(500);
      if (answer.status === 400) expect(message).toMatch(/^[\w-]+: /);
    }),
    { numRuns: RUNS },
  );
  expect((await ask('GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'))?.status).toBe(200);
});
