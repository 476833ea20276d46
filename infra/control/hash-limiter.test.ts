import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { HASH_LIMITS, HashBusyError, HashLimiter } from './hash-limiter.ts';

const LIMITS = { concurrent: 2, perKeyPerSecond: 5, newPerOrganization: 2, waitMs: 2_000, waiting: 3 };

/** Hashes that end on request. */
function controlled() {
  const ends: (() => void)[] = [];
  const hash = () => new Promise<string>((resolve) => ends.push(() => resolve('done')));
  return { hash, ends, started: () => ends.length };
}

describe('hashing', () => {
  it('runs on at most half the cores', () => {
    expect(HASH_LIMITS).toMatchObject({ perKeyPerSecond: 5, waitMs: 2_000 });
    expect(HASH_LIMITS.concurrent).toBeGreaterThanOrEqual(1);
  });

  it('runs a limited number at a time and the others in order', async () => {
    const limiter = new HashLimiter(LIMITS);
    const { hash, ends, started } = controlled();
    const runs = ['a', 'b', 'c', 'd'].map((key) => limiter.run(key, hash));
    await sleep(1);
    expect(started()).toBe(2);
    ends[0]!();
    await runs[0];
    await sleep(1);
    expect(started()).toBe(3);
    // A later call does not overtake the one that waits.
    const late = limiter.run('e', hash);
    ends[1]!();
    await runs[1];
    await sleep(1);
    expect(started()).toBe(4);
    for (const end of ends) end();
    await sleep(1);
    ends[4]!();
    expect(await Promise.all([...runs, late])).toEqual(Array(5).fill('done'));
  });

  it('frees its slot when it fails', async () => {
    const limiter = new HashLimiter({ ...LIMITS, concurrent: 1 });
    const fail = () => Promise.reject(new Error('no'));
    await expect(limiter.run('a', fail)).rejects.toThrow('no');
    expect(await limiter.run('b', async () => 'done')).toBe('done');
  });

  it('is limited to 5 a second for one key, without delaying other keys', async () => {
    let now = 0;
    const limiter = new HashLimiter(LIMITS, () => now);
    const hash = async () => 'done';
    for (let time = 0; time < 5; time += 1) expect(await limiter.run('a', hash)).toBe('done');
    await expect(limiter.run('a', hash)).rejects.toThrow(HashBusyError);
    expect(await limiter.run('b', hash)).toBe('done');
    now = 999;
    await expect(limiter.run('a', hash)).rejects.toThrow(HashBusyError);
    now = 1_000;
    expect(await limiter.run('a', hash)).toBe('done');
  });

  it('of new secrets is limited for each organization, and uses the common slots', async () => {
    const limiter = new HashLimiter({ ...LIMITS, concurrent: 1 });
    const { hash, ends, started } = controlled();
    const runs = [limiter.runForNewKey('org_a', hash), limiter.runForNewKey('org_a', hash)];
    await expect(limiter.runForNewKey('org_a', hash)).rejects.toThrow(HashBusyError);
    runs.push(limiter.runForNewKey('org_b', hash), limiter.run('key', hash));
    for (let nth = 0; nth < 4; nth += 1) {
      await sleep(1);
      expect(started()).toBe(nth + 1);
      ends[nth]!();
    }
    expect(await Promise.all(runs)).toEqual(Array(4).fill('done'));
    expect(await limiter.runForNewKey('org_a', async () => 'again')).toBe('again');
    await expect(limiter.runForNewKey('org_a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    const more = [limiter.runForNewKey('org_a', hash), limiter.runForNewKey('org_a', hash)];
    await sleep(1);
    ends[4]!();
    await more[0];
    await sleep(1);
    ends[5]!();
    expect(await more[1]).toBe('done');
  });

  it('is refused if it waits too long or too many wait', async () => {
    const limiter = new HashLimiter({ ...LIMITS, concurrent: 1, waitMs: 20, waiting: 2 });
    const { hash, ends } = controlled();
    const first = limiter.run('a', hash);
    const waiting = [limiter.run('b', hash), limiter.run('c', hash)].map((run) => run.catch((error: unknown) => error));
    await expect(limiter.run('d', hash)).rejects.toThrow(HashBusyError);
    for (const error of await Promise.all(waiting)) expect(error).toBeInstanceOf(HashBusyError);
    ends[0]!();
    expect(await first).toBe('done');
    const next = limiter.run('e', hash);
    ends[1]!();
    expect(await next).toBe('done');
  });
});
