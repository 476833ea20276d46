import { pino, stdSerializers } from 'pino';
import { describe, expect, it } from 'vitest';
import type { Authenticated, Authenticator } from '#infra/control/authenticator';
import { initialControlState } from '#schemas/domain/control/state';
import { KeyUses } from '#schemas/domain/quota/key-uses';
import { ApiError } from '#schemas/errors';
import { createUpgrade } from './upgrade.ts';
import type { HttpRequest, HttpResponse } from './uws.ts';

const TOKEN = 'plx_live_secret';
const KEY = { id: 'key', orgId: 'org', scopes: ['stream'], sandbox: false };
const FOUND = { key: KEY, organization: { id: 'org' } } as unknown as Authenticated;

/** Runs one upgrade against test doubles; returns the answer and the log. */
async function attempt(
  authenticate: Authenticator['authenticate'],
  {
    open = 0,
    closing = false,
    abort = false,
    requestId = '',
    authorization = `Bearer ${TOKEN}`,
    authenticateKnown = () => undefined,
  }: {
    open?: number;
    closing?: boolean;
    abort?: boolean;
    requestId?: string;
    authorization?: string;
    authenticateKnown?: Authenticator['authenticateKnown'];
  } = {},
) {
  const answer = { status: '', headers: new Map<string, string>(), body: '', upgrades: 0 };
  let underOwnCork = false;
  const lateCork = { run: (work: () => void) => work() };
  const logged: string[] = [];
  let onAborted = () => {};
  const res = {
    onAborted: (listener: () => void) => {
      onAborted = listener;
    },
    cork: (work: () => void) => {
      underOwnCork = true;
      work();
      underOwnCork = false;
    },
    writeStatus: (status: string) => {
      answer.status = status;
    },
    writeHeader: (name: string, value: string) => answer.headers.set(name, value),
    end: (body: string) => {
      answer.body = body;
    },
    upgrade: () => {
      answer.upgrades += 1;
      expect(underOwnCork).toBe(false);
    },
  } as unknown as HttpResponse;
  const headers: Record<string, string> = {
    connection: 'keep-alive, Upgrade',
    authorization,
    'x-request-id': requestId,
  };
  const req = { getHeader: (name: string) => headers[name] ?? '', getQuery: () => undefined };
  createUpgrade({
    control: { state: initialControlState(), isCurrent: true },
    streamUrl: null,
    authenticator: { authenticate, authenticateKnown } as Authenticator,
    keyUses: new KeyUses(),
    logger: pino({ serializers: { error: stdSerializers.err } }, { write: (line: string) => void logged.push(line) }),
    socketsOf: () => open,
    socketsPerKeyMax: 2,
    isClosing: () => closing,
    lateCork,
  })(res, req as unknown as HttpRequest, null as never);
  if (abort) onAborted();
  await new Promise((resolve) => setImmediate(resolve));
  return { ...answer, logged: logged.join('') };
}

describe('an upgrade', () => {
  it('is accepted below the limit of sockets and refused at it', async () => {
    expect((await attempt(async () => FOUND, { open: 1 })).upgrades).toBe(1);
    const refused = await attempt(async () => FOUND, { open: 2 });
    expect([refused.upgrades, refused.status]).toEqual([0, '429 Too Many Requests']);
  });

  it('reads the token of the Authorization header as REST does', async () => {
    const tokens: string[] = [];
    const authenticate = async (token: string) => {
      tokens.push(token);
      return FOUND;
    };
    const { upgrades } = await attempt(authenticate, { authorization: `bearer  ${TOKEN} ` });
    expect([upgrades, tokens]).toEqual([1, [TOKEN]]);
    expect((await attempt(authenticate, { authorization: `Bearer ${TOKEN}\u00e9` })).status).toBe('401 Unauthorized');
  });

  it('has the same results for a secret that was checked before, without a wait', async () => {
    const never = () => Promise.reject(new Error('a hash was requested'));
    const known = (found: Authenticated | null) => ({ authenticateKnown: () => found });
    expect((await attempt(never, known(FOUND))).upgrades).toBe(1);
    expect((await attempt(never, known(null))).status).toBe('401 Unauthorized');
    const stale = () => {
      throw new ApiError('internal_error', 'stale', { status: 503, retryAfterSeconds: 3 });
    };
    expect((await attempt(never, { authenticateKnown: stale })).status).toBe('503 Service Unavailable');
  });

  it('is refused with 503 and Retry-After when too many secrets are being checked', async () => {
    const busy = async () => {
      throw new ApiError('internal_error', 'busy', { status: 503, retryAfterSeconds: 3 });
    };
    const { status, headers, logged } = await attempt(busy);
    expect([status, headers.get('retry-after'), logged]).toEqual(['503 Service Unavailable', '3', '']);
  });

  it('is refused with 500 after a fault, which is logged without the token', async () => {
    const { status, body, logged } = await attempt(() => Promise.reject(new Error('broken')));
    expect(status).toBe('500 Internal Server Error');
    expect(body).not.toContain('broken');
    expect(logged).toContain('broken');
    expect(logged).not.toContain(TOKEN);
  });

  it('is refused with 503 while the node is stopping', async () => {
    const { status, headers } = await attempt(async () => FOUND, { closing: true });
    expect([status, headers.get('retry-after')]).toEqual(['503 Service Unavailable', '1']);
  });

  it.each([
    ['req-1 of me', true],
    ['', false],
    ['x'.repeat(129), false],
    ['na\u00efve', false],
    ['two\tparts', false],
  ])('is answered with the client’s request id if that is printable: %j', async (requestId, echoed) => {
    const { headers, body } = await attempt(async () => null, { requestId });
    const id = headers.get('x-request-id')!;
    expect([id === requestId, body.includes(id)]).toEqual([echoed, true]);
    expect(id).toMatch(/^[ -~]{1,128}$/);
  });

  it.each([
    ['a good token', async () => FOUND],
    ['a bad token', async () => null],
    ['a fault', () => Promise.reject(new Error('broken'))],
  ])('is not answered after it was aborted: %s', async (_name, authenticate) => {
    const { status, body, upgrades } = await attempt(authenticate, { abort: true });
    expect([status, body, upgrades]).toEqual(['', '', 0]);
  });
});
