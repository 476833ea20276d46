import { describe, expect, it } from 'vitest';
import { Lane } from './lane.ts';

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

describe('Lane', () => {
  it('runs as many as it is wide and the others in their order', async () => {
    const lane = new Lane(2, 10);
    const gates = [controlled<number>(), controlled<number>(), controlled<number>(), controlled<number>()];
    const started: number[] = [];
    const results = gates.map((gate, at) =>
      lane.run(() => {
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

  it('goes on after a failure, told to its caller alone', async () => {
    const lane = new Lane(1, 10);
    const failing = lane.run(() => Promise.reject(new Error('no')), LONG_MS);
    const thrown = lane.run(() => {
      throw new Error('at once');
    }, LONG_MS);
    const fine = lane.run(() => Promise.resolve('yes'), LONG_MS);
    await expect(failing).rejects.toThrow('no');
    await expect(thrown).rejects.toThrow('at once');
    expect(await fine).toBe('yes');
  });

  it('takes as many waiting as its bound and refuses one more', async () => {
    const lane = new Lane(1, 2);
    const gate = controlled<void>();
    const running = [0, 1, 2].map(() => lane.run(() => gate.promise, LONG_MS));
    await expect(lane.run(() => Promise.resolve(), LONG_MS)).rejects.toMatchObject({ code: 'store_unavailable' });
    gate.resolve();
    await Promise.all(running);
    await expect(lane.run(() => Promise.resolve(7), LONG_MS)).resolves.toBe(7);
  });

  it('never starts what timed out while waiting', async () => {
    const lane = new Lane(1, 10);
    const gate = controlled<void>();
    const first = lane.run(() => gate.promise, LONG_MS);
    let ran = false;
    const late = lane.run(async () => {
      ran = true;
    }, 5);
    await expect(late).rejects.toMatchObject({ code: 'store_unavailable', canRetry: true });
    gate.resolve();
    await first;
    await lane.idle();
    expect(ran).toBe(false);
  });

  it('keeps the place of a call that outlives its time until it ends', async () => {
    const lane = new Lane(1, 10);
    const gate = controlled<void>();
    await expect(lane.run(() => gate.promise, 5)).rejects.toMatchObject({ code: 'store_unavailable' });
    let ran = false;
    const next = lane.run(async () => {
      ran = true;
    }, LONG_MS);
    await settled();
    expect(ran).toBe(false);
    gate.resolve();
    await next;
    expect(ran).toBe(true);
  });

  it('is idle once nothing runs or waits', async () => {
    const lane = new Lane(1, 10);
    await lane.idle();
    const gate = controlled<void>();
    const calls = [lane.run(() => gate.promise, LONG_MS), lane.run(() => Promise.resolve(), LONG_MS)];
    let idle = false;
    const waiting = lane.idle().then(() => {
      idle = true;
    });
    await settled();
    expect(idle).toBe(false);
    gate.resolve();
    await Promise.all([...calls, waiting]);
    expect(idle).toBe(true);
  });
});
