import { afterEach, describe, expect, it } from 'vitest';
import { openTestService, type TestService } from '../testing/test-service.fixture.ts';
import { COMMAND_LIMITS, CommandRateLimiter } from './command-rate-limiter.ts';

describe('CommandRateLimiter', () => {
  it('allows the burst, then the sustained limiter, separately for each organization', () => {
    let now = 0;
    const limiter = new CommandRateLimiter({ perSecond: 2, burst: 3 }, () => now);
    const accepted = (orgId: string) => {
      let count = 0;
      for (; count < 10; count += 1) {
        try {
          limiter.consume(orgId);
        } catch (error) {
          expect(error).toMatchObject({ code: 'quota_exceeded', status: 429, retryAfterSeconds: 1 });
          return count;
        }
      }
      return count;
    };
    expect([accepted('a'), accepted('b')]).toEqual([3, 3]);
    now = 499;
    expect(accepted('a')).toBe(0);
    now = 500;
    expect(accepted('a')).toBe(1);
    now = 1_500;
    expect(accepted('a')).toBe(2);
    now = 1_000_000;
    expect(accepted('a')).toBe(3);
  });

  it('reports in how many seconds the next command is allowed', () => {
    const limiter = new CommandRateLimiter({ perSecond: 0.1, burst: 1 }, () => 0);
    limiter.consume('a');
    expect(() => limiter.consume('a')).toThrow(expect.objectContaining({ retryAfterSeconds: 10 }));
  });

  it('evicts the least recently active organization when there are too many', () => {
    const limiter = new CommandRateLimiter({ perSecond: 1, burst: 1 }, () => 0);
    limiter.consume('first');
    expect(() => limiter.consume('first')).toThrow();
    for (let nth = 0; nth < 10_000; nth += 1) limiter.consume(`org_${nth}`);
    expect(() => limiter.consume('org_9999')).toThrow();
    expect(() => limiter.consume('first')).not.toThrow();
  });
});

describe('the API', () => {
  let service: TestService;
  afterEach(() => service.close());

  it('appends no more commands of one organization than allowed, and still accepts those of others', async () => {
    service = await openTestService();
    const { token } = await service.organization('Other');
    const before = (await service.commands()).length;
    const startedAt = performance.now();
    const requests = Array.from({ length: 900 }, () => service.request('DELETE', '/v1/me/wallets/wal_none', { token }));
    const answers = await Promise.all(requests);
    const allowed = COMMAND_LIMITS.burst + ((performance.now() - startedAt) / 1_000) * COMMAND_LIMITS.perSecond;
    const sent = (await service.commands()).length - before;
    expect(sent).toBeGreaterThanOrEqual(COMMAND_LIMITS.burst);
    expect(sent).toBeLessThanOrEqual(allowed);
    const refused = answers.filter(({ status }) => status === 429);
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(900 - refused.length);
    expect(refused).toHaveLength(900 - sent);
    expect(refused[0]!.body.error).toMatchObject({
      code: 'quota_exceeded',
      message: expect.stringContaining('too many changes'),
    });
    expect(refused[0]!.headers['retry-after']).toBe('1');
    expect((await service.request('DELETE', '/v1/me/wallets/wal_none')).status).toBe(404);
  });
});
