import { expect, it, vi } from 'vitest';
import { ReadTurns } from './read-turns.ts';

const LIMITS = { perOrganization: 2, total: 3, timeoutMs: 30_000 };

/** Turns of which the test ends each read. */
function openTurns(limits = LIMITS) {
  const turns = new ReadTurns(limits);
  const started: string[] = [];
  const ends: ((error?: Error) => void)[] = [];
  const read = (orgId: string, name = orgId) =>
    turns.run(orgId, () => {
      started.push(name);
      return new Promise<string>((resolve, reject) => ends.push((error) => (error ? reject(error) : resolve(name))));
    });
  return { read, started, ends };
}

/** Lets promises that wait for nothing else go on. */
async function settle() {
  for (let times = 0; times < 20; times += 1) await Promise.resolve();
}

it('runs one read at a time, and gives each organization its turn, however many reads others have waiting', async () => {
  const { read, started, ends } = openTurns({ ...LIMITS, perOrganization: 10, total: 20 });
  const reads = [read('a', 'a1'), read('a', 'a2'), read('a', 'a3'), read('b', 'b1'), read('c', 'c1'), read('b', 'b2')];
  for (const [nth, own] of [reads[0], reads[1], reads[3], reads[4], reads[2], reads[5]].entries()) {
    await settle();
    expect(started).toHaveLength(nth + 1);
    ends[nth]!();
    expect(await own).toBe(started[nth]);
  }
  expect(started).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
});

it('continues after a read that failed', async () => {
  const { read, ends, started } = openTurns();
  const [failing, next] = [read('a', 'a1'), read('b', 'b1')];
  await settle();
  ends[0]!(new Error('the store is away'));
  await expect(failing).rejects.toThrow('the store is away');
  await settle();
  expect(started).toEqual(['a1', 'b1']);
  ends[1]!();
  expect(await next).toBe('b1');
});

it('refuses reads of an organization with too many waiting, and of all, with 503 and the time to retry', async () => {
  const { read, ends } = openTurns();
  const reads = [read('a'), read('a'), read('a')];
  const refused = { code: 'internal_error', status: 503, retryAfterSeconds: 1 };
  await expect(read('a')).rejects.toMatchObject(refused);
  // Others have room of their own, until the total is reached.
  reads.push(read('b'));
  await expect(read('c')).rejects.toMatchObject(refused);
  for (let nth = 0; nth < 4; nth += 1) {
    await settle();
    ends[nth]!();
  }
  expect(await Promise.all(reads)).toEqual(['a', 'a', 'a', 'b']);
});

it('refuses a read that took too long, also before its turn; one that has begun keeps its turn', async () => {
  vi.useFakeTimers();
  try {
    const { read, started, ends } = openTurns();
    const late = [read('a'), read('b')].map((one) => one.catch((error: { status: number }) => error.status));
    await vi.advanceTimersByTimeAsync(20_000);
    const next = read('c');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await Promise.all(late)).toEqual([503, 503]);
    expect(started).toEqual(['a']);
    ends[0]!();
    await settle();
    expect(started).toEqual(['a', 'c']);
    ends[1]!();
    expect(await next).toBe('c');
  } finally {
    vi.useRealTimers();
  }
});
