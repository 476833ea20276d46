import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { HASH_LIMITS, HashBusyError, HashSlots } from './hash-slots.ts';

const LIMITS = { concurrent: 2, perKeyPerSecond: 5, newPerOrganization: 2, waitMs: 2_000, waiting: 3 };

/** Hashes that end when they are told to. */
function controlled() {
  const ends: (() => void)[] = [];
  const hash = () => new Promise<string>((resolve) => ends.push(() => resolve('done')));
  return { hash, ends, begun: () => ends.length };
}

describe('hashing', () => {
  it('runs on at most half the cores', () => {
    expect(HASH_LIMITS).toMatchObject({ perKeyPerSecond: 5, waitMs: 2_000 });
    expect(HASH_LIMITS.concurrent).toBeGreaterThanOrEqual(1);
  });

  it('runs so many at a time and the others in their turn', async () => {
    const slots = new HashSlots(LIMITS);
    const { hash, ends, begun } = controlled();
    const runs = ['a', 'b', 'c', 'd'].map((key) => slots.run(key, hash));
    await sleep(1);
    expect(begun()).toBe(2);
    ends[0]!();
    await runs[0];
    await sleep(1);
    expect(begun()).toBe(3);
    // Who comes now does not slip in before the one that waits.
    const late = slots.run('e', hash);
    ends[1]!();
    await runs[1];
    await sleep(1);
    expect(begun()).toBe(4);
    for (const end of ends) end();
    await sleep(1);
    ends[4]!();
    expect(await Promise.all([...runs, late])).toEqual(Array(5).fill('done'));
  });

  it('gives its place back when it fails', async () => {
    const slots = new HashSlots({ ...LIMITS, concurrent: 1 });
    const fail = () => Promise.reject(new Error('no'));
    await expect(slots.run('a', fail)).rejects.toThrow('no');
    expect(await slots.run('b', async () => 'done')).toBe('done');
  });

  it('of one key is 5 a second, and of another is not held up by it', async () => {
    let now = 0;
    const slots = new HashSlots(LIMITS, () => now);
    const hash = async () => 'done';
    for (let time = 0; time < 5; time += 1) expect(await slots.run('a', hash)).toBe('done');
    await expect(slots.run('a', hash)).rejects.toThrow(HashBusyError);
    expect(await slots.run('b', hash)).toBe('done');
    now = 999;
    await expect(slots.run('a', hash)).rejects.toThrow(HashBusyError);
    now = 1_000;
    expect(await slots.run('a', hash)).toBe('done');
  });

  it('of new secrets is bounded for each organization, in the places of all', async () => {
    const slots = new HashSlots({ ...LIMITS, concurrent: 1 });
    const { hash, ends, begun } = controlled();
    const runs = [slots.runNew('org_a', hash), slots.runNew('org_a', hash)];
    await expect(slots.runNew('org_a', hash)).rejects.toThrow(HashBusyError);
    runs.push(slots.runNew('org_b', hash), slots.run('key', hash));
    for (let nth = 0; nth < 4; nth += 1) {
      await sleep(1);
      expect(begun()).toBe(nth + 1);
      ends[nth]!();
    }
    expect(await Promise.all(runs)).toEqual(Array(4).fill('done'));
    expect(await slots.runNew('org_a', async () => 'again')).toBe('again');
    await expect(slots.runNew('org_a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    const more = [slots.runNew('org_a', hash), slots.runNew('org_a', hash)];
    await sleep(1);
    ends[4]!();
    await more[0];
    await sleep(1);
    ends[5]!();
    expect(await more[1]).toBe('done');
  });

  it('that waits too long, or finds too many waiting, is refused', async () => {
    const slots = new HashSlots({ ...LIMITS, concurrent: 1, waitMs: 20, waiting: 2 });
    const { hash, ends } = controlled();
    const first = slots.run('a', hash);
    const waiting = [slots.run('b', hash), slots.run('c', hash)].map((run) => run.catch((error: unknown) => error));
    await expect(slots.run('d', hash)).rejects.toThrow(HashBusyError);
    for (const error of await Promise.all(waiting)) expect(error).toBeInstanceOf(HashBusyError);
    ends[0]!();
    expect(await first).toBe('done');
    const next = slots.run('e', hash);
    ends[1]!();
    expect(await next).toBe('done');
  });
});
