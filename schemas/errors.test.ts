import { describe, expect, it } from 'vitest';
import { ApiError, ERRORS, statusesOf, unavailable } from './errors.ts';
import { errorEnvelope, errorEnvelopeSchema } from './http/error-envelope.ts';

describe('the error catalogue', () => {
  it('holds every code of the specification and the contract, with its status', () => {
    const statuses = Object.fromEntries(Object.entries(ERRORS).map(([code, { status }]) => [code, status]));
    expect(statuses).toEqual({
      bad_request: 400,
      validation_failed: 400,
      unknown_provider: 400,
      no_platform_attribution: 400,
      unauthenticated: 401,
      upstream_unauthorized: 401,
      forbidden_scope: 403,
      insufficient_scope: 403,
      not_found: 404,
      unknown_coin: 404,
      unknown_pair: 404,
      unknown_dex: 404,
      unknown_symbol: 404,
      method_not_allowed: 405,
      conflict: 409,
      quota_exceeded: 429,
      upstream_rate_limited: 429,
      internal_error: 500,
      upstream_unavailable: 502,
      portfolio_snapshot_incomplete: 502,
    });
  });

  it('states every other status that a code can have', () => {
    expect([statusesOf('internal_error'), statusesOf('upstream_unavailable'), statusesOf('conflict')]).toEqual([
      [500, 503],
      [502, 503, 504],
      [409],
    ]);
    const starting = unavailable('the service is starting; try again');
    expect(statusesOf(starting.code)).toContain(starting.status);
  });

  it('allows a retry exactly for 429 and 5xx', () => {
    const retryable = Object.entries(ERRORS).filter(([, { canRetry }]) => canRetry);
    expect(retryable.every(([, { status }]) => status === 429 || status >= 500)).toBe(true);
    expect(retryable).toHaveLength(5);
  });
});

describe('an error', () => {
  it('has the status of its code unless another one is given', () => {
    expect(new ApiError('validation_failed', 'limit: must be a whole number').status).toBe(400);
    expect(new ApiError('validation_failed', 'body: is too large', { status: 413 }).status).toBe(413);
  });

  it('becomes the envelope, with the response of the venue only if there is one', () => {
    const plain = new ApiError('not_found', 'no event', { cause: new Error('hidden') });
    expect(errorEnvelope(plain, 'r1')).toEqual({ error: { code: 'not_found', message: 'no event', requestId: 'r1' } });
    const upstream = { provider: 'venue_b', status: 503, body: 'down' };
    const envelope = errorEnvelope(new ApiError('upstream_unavailable', 'venue_b is down', { upstream }), null);
    expect(envelope.error).toEqual({
      code: 'upstream_unavailable',
      message: 'venue_b is down',
      requestId: null,
      provider: 'venue_b',
      upstream: { status: 503, body: 'down' },
    });
    expect(errorEnvelopeSchema.parse(envelope)).toEqual(envelope);
  });
});
