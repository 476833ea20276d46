import { describe, expect, it } from 'vitest';
import { Semaphore } from './semaphore.ts';

function controlled<T>() {
  let resolve!: (value: T) => void;
  let reject!: (error: Error) => void;
  const promise = new Promise<T>((ok, fail) => {
    resolve = ok;
    reject = fail;
  });
  return { promise, resolve, reject };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));
const LONG_MS = 60_000;

describe('Semaphore', () => {
  it('runs one call per permit and the others in order', async () => {
    const semaphore = new Semaphore(2, 10);
    const gates = [controlled<number>(), controlled<number>(), controlled<number>(), controlled<number>()];
    const started: number[] = [];
    const results = gates.map((gate, at) =>
      semaphore.run(() => {
        started.push(at);
        return gate.promise;
      }, LONG_MS),
    );
    await settled();
    expect(started).toEqual([0, 1]);
    gates[1]!.resolve(1);
    await settled();
    expect(started).toEqual([0, 1, 2]);
    gates[0]!.resolve(0);
    gates[2]!.resolve(2);
    gates[3]!.resolve(3);
    expect(await Promise.all(results)).toEqual([0, 1, 2, 3]);
  });

  it('continues after a failure, which rejects only its caller', async () => {
    const semaphore = new Semaphore(1, 10);
    const failing = semaphore.run(() => Promise.reject(new Error('no')), LONG_MS);
    const thrown = semaphore.run(() => {
      throw new Error('at once');
    }, LONG_MS);
    const fine = semaphore.run(() => Promise.resolve('yes'), LONG_MS);
    await expect(failing).rejects.toThrow('no');
    await expect(thrown).rejects.toThrow('at once');
    expect(await fine).toBe('yes');
  });

  it('lets as many calls wait as its limit and refuses one more', async () => {
    const semaphore = new Semaphore(1, 2);
    const gate = controlled<void>();
    const running = [0, 1, 2].map(() => semaphore.run(() => gate.promise, LONG_MS));
    await expect(semaphore.run(() => Promise.resolve(), LONG_MS)).rejects.toMatchObject({ code: 'store_unavailable' });
    gate.resolve();
    await Promise.all(running);
    await expect(semaphore.run(() => Promise.resolve(7), LONG_MS)).resolves.toBe(7);
  });

  it('never starts a call that timed out while waiting', async () => {
    const semaphore = new Semaphore(1, 10);
    const gate = controlled<void>();
    const first = semaphore.run(() => gate.promise, LONG_MS);
    let ran = false;
    const late = semaphore.run(async () => {
      ran = true;
    }, 5);
    await expect(late).rejects.toMatchObject({ code: 'store_unavailable', canRetry: true });
    gate.resolve();
    await first;
    await semaphore.idle();
    expect(ran).toBe(false);
  });

  it('keeps the permit of a call that exceeds its time until it ends', async () => {
    const semaphore = new Semaphore(1, 10);
    const gate = controlled<void>();
    await expect(semaphore.run(() => gate.promise, 5)).rejects.toMatchObject({ code: 'store_unavailable' });
    let ran = false;
    const next = semaphore.run(async () => {
      ran = true;
    }, LONG_MS);
    await settled();
    expect(ran).toBe(false);
    gate.resolve();
    await next;
    expect(ran).toBe(true);
  });

  it('is idle when no call runs or waits', async () => {
    const semaphore = new Semaphore(1, 10);
    await semaphore.idle();
    const gate = controlled<void>();
    const calls = [semaphore.run(() => gate.promise, LONG_MS), semaphore.run(() => Promise.resolve(), LONG_MS)];
    let idle = false;
    const waiting = semaphore.idle().then(() => {
      idle = true;
    });
    await settled();
    expect(idle).toBe(false);
    gate.resolve();
    await Promise.all([...calls, waiting]);
    expect(idle).toBe(true);
  });
});
