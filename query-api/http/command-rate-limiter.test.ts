import { afterEach, describe, expect, it } from 'vitest';
import { type AppWorld, openAppWorld } from '../testing/world.fixture.ts';
import { COMMAND_LIMITS, CommandRate } from './command-rate.ts';

describe('the commands of an organization', () => {
  it('are so many at once, then so many a second, and leave those of another alone', () => {
    let now = 0;
    const rate = new CommandRate({ perSecond: 2, burst: 3 }, () => now);
    const taken = (orgId: string) => {
      let count = 0;
      for (; count < 10; count += 1) {
        try {
          rate.take(orgId);
        } catch (error) {
          expect(error).toMatchObject({ code: 'quota_exceeded', status: 429, retryAfterSeconds: 1 });
          return count;
        }
      }
      return count;
    };
    expect([taken('a'), taken('b')]).toEqual([3, 3]);
    now = 499;
    expect(taken('a')).toBe(0);
    now = 500;
    expect(taken('a')).toBe(1);
    now = 1_500;
    expect(taken('a')).toBe(2);
    now = 1_000_000;
    expect(taken('a')).toBe(3);
  });

  it('tells when the next may come', () => {
    const rate = new CommandRate({ perSecond: 0.1, burst: 1 }, () => 0);
    rate.take('a');
    expect(() => rate.take('a')).toThrow(expect.objectContaining({ retryAfterSeconds: 10 }));
  });

  it('are forgotten of who was away the longest when too many organizations send some', () => {
    const rate = new CommandRate({ perSecond: 1, burst: 1 }, () => 0);
    rate.take('first');
    expect(() => rate.take('first')).toThrow();
    for (let nth = 0; nth < 10_000; nth += 1) rate.take(`org_${nth}`);
    expect(() => rate.take('org_9999')).toThrow();
    expect(() => rate.take('first')).not.toThrow();
  });
});

describe('a service', () => {
  let world: AppWorld;
  afterEach(() => world.close());

  it('puts no more commands of one organization into the log, and takes those of others', async () => {
    world = await openAppWorld();
    const { token } = await world.organization('Other');
    const before = (await world.commands()).length;
    const begun = performance.now();
    const asked = Array.from({ length: 900 }, () => world.ask('DELETE', '/v1/me/wallets/wal_none', { token }));
    const answers = await Promise.all(asked);
    const most = COMMAND_LIMITS.burst + ((performance.now() - begun) / 1_000) * COMMAND_LIMITS.perSecond;
    const sent = (await world.commands()).length - before;
    expect(sent).toBeGreaterThanOrEqual(COMMAND_LIMITS.burst);
    expect(sent).toBeLessThanOrEqual(most);
    const refused = answers.filter(({ status }) => status === 429);
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(900 - refused.length);
    expect(refused).toHaveLength(900 - sent);
    expect(refused[0]!.body.error).toMatchObject({
      code: 'quota_exceeded',
      message: expect.stringContaining('too many changes'),
    });
    expect(refused[0]!.headers['retry-after']).toBe('1');
    expect((await world.ask('DELETE', '/v1/me/wallets/wal_none')).status).toBe(404);
  });
});
