import { describe, expect, it } from 'vitest';
import { formatToken, mintToken } from '../control/token.ts';
import { createLogger } from './logger.ts';

const token = formatToken(mintToken());
const sandboxed = formatToken(mintToken(true));
const secret = `whsec_${'aB3/'.repeat(10)}abc=`;
const cookie = 'Zz9_'.repeat(11).slice(0, 43);
const PARTS = [token.split('.')[1]!, sandboxed.split('.')[1]!, secret.slice(6), cookie, 'hunter2', 'dXNlcjpwYXNz'];

/** Logs a line with the service's logger and returns it. */
function logged(bindings: object, message = 'it happened'): string {
  const lines: string[] = [];
  createLogger('info', { write: (line) => void lines.push(line) }).info(bindings, message);
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0]!)).toMatchObject({ msg: expect.any(String) });
  return lines[0]!;
}

function withCause(message: string, cause: unknown): Error {
  return new Error(message, { cause });
}

describe('a line of the log', () => {
  it.each<[string, object, string]>([
    ['a token in a query', { url: `/v1/stream?token=${token}&x=1` }, '/v1/stream?token=plx_live_[redacted]&x=1'],
    ['a percent-encoded query', { url: `/v1/stream?token%3D${sandboxed}` }, 'plx_test_[redacted]'],
    ['a token in a list', { urls: [[`?token=${token}`]] }, 'plx_live_[redacted]'],
    [
      'headers',
      { headers: { authorization: `Bearer ${token}`, cookie: `a=1; plx_session=${cookie}`, host: 'x' } },
      '"host":"x"',
    ],
    [
      'headers of a request',
      { req: { url: '/keys', headers: { authorization: 'Basic dXNlcjpwYXNz', cookie } } },
      '/keys',
    ],
    [
      'headers of an answer',
      { res: { status: 204, headers: { 'set-cookie': `plx_session=${cookie}; Path=/` } } },
      '204',
    ],
    [
      'raw headers',
      { raw: ['Cookie', `plx_session=${cookie}`, 'Authorization', `Bearer ${token}`] },
      'plx_session=[redacted]',
    ],
    ['the subprotocol of a session', { raw: ['Sec-WebSocket-Protocol', `csrf.${cookie}`] }, 'csrf.[redacted]'],
    ['headers of an upgrade', { headers: { 'sec-websocket-protocol': `csrf.${cookie}`, host: 'x' } }, '"host":"x"'],
    ['another scheme', { raw: 'authorization: Basic dXNlcjpwYXNz' }, 'Basic [redacted]'],
    ['a field that is a secret', { webhook: { id: 'whk_1', secret }, token }, 'whk_1'],
    ['a signing secret in a text', { body: `{"secret":"${secret}"}` }, 'whsec_[redacted]'],
    [
      'an error',
      { error: new Error(`GET https://me:hunter2@host:8123/?token=${token} failed`) },
      '[redacted]@host:8123',
    ],
    [
      'the cause of an error',
      { error: withCause('no', new Error('kafka+ssl://me:hunter2@broker')) },
      '[redacted]@broker',
    ],
    [
      'fields of an error',
      { error: Object.assign(new Error('no'), { config: { auth: `Bearer ${token}` } }) },
      '[redacted]',
    ],
  ])('contains no secret of %s', (_name, bindings, expected) => {
    const line = logged(bindings);
    for (const part of PARTS) expect(line).not.toContain(part);
    expect(line).toContain(expected);
  });

  it('contains no secret of its message, nor does one of a child', () => {
    expect(logged({}, `signed in with ${token}`)).toContain('signed in with plx_live_[redacted]');
    const lines: string[] = [];
    const child = createLogger('info', { write: (line) => void lines.push(line) }).child({
      token,
      url: `?token=${token}`,
    });
    child.info('it happened');
    expect(lines.join('')).toContain('plx_live_[redacted]');
    expect(lines.join('')).not.toContain(PARTS[0]);
  });

  it('does not change text that is no secret', () => {
    const bindings = {
      keyId: '00000000-0000-4000-8000-000000000001',
      url: 'https://host/a@b?c=d',
      mail: 'me@example.com',
    };
    expect(JSON.parse(logged(bindings, 'the bearer of bonds'))).toMatchObject({
      ...bindings,
      msg: 'the bearer of bonds',
    });
  });
});
