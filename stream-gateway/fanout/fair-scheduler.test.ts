import { describe, expect, it } from 'vitest';
import { FairScheduler } from './fair-scheduler.ts';

/** Tasks that end on request; `started` has their names in the order in which they started. */
function testTasks(scheduler: FairScheduler<string>) {
  const started: string[] = [];
  const ends = new Map<string, { resolve: () => void; reject: (error: Error) => void }>();
  const settled: Promise<unknown>[] = [];
  return {
    started,
    submit(owner: string, name: string) {
      const done = scheduler.run(owner, () => {
        started.push(name);
        return new Promise<void>((resolve, reject) => void ends.set(name, { resolve, reject }));
      });
      settled.push(done.catch((error: Error) => error.message));
    },
    async end(name: string, failure?: string) {
      await settle();
      if (failure === undefined) ends.get(name)!.resolve();
      else ends.get(name)!.reject(new Error(failure));
      await settle();
    },
    results: () => Promise.all(settled),
  };
}
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('the fair scheduler', () => {
  it('runs a limited number of tasks, and the next one also after a failure', async () => {
    const tasks = testTasks(new FairScheduler({ max: 2, maxPerOwner: 2 }));
    for (const name of ['1', '2', '3', '4']) tasks.submit('a', name);
    await settle();
    expect(tasks.started).toEqual(['1', '2']);
    await tasks.end('1', 'it fails');
    expect(tasks.started).toEqual(['1', '2', '3']);
    for (const name of ['2', '3', '4']) await tasks.end(name);
    expect(await tasks.results()).toEqual(['it fails', undefined, undefined, undefined]);
  });

  it('gives owners turns round robin, however many tasks each of them has', async () => {
    const tasks = testTasks(new FairScheduler({ max: 1, maxPerOwner: 1 }));
    for (let nth = 1; nth <= 1_000; nth += 1) tasks.submit('greedy', `g${nth}`);
    tasks.submit('modest', 'm1');
    tasks.submit('other', 'o1');
    tasks.submit('modest', 'm2');
    for (const name of ['g1', 'g2', 'm1', 'o1', 'g3']) await tasks.end(name);
    expect(tasks.started).toEqual(['g1', 'g2', 'm1', 'o1', 'g3', 'm2']);
  });

  it('leaves slots for others by limiting each owner', async () => {
    const tasks = testTasks(new FairScheduler({ max: 3, maxPerOwner: 2 }));
    for (const name of ['g1', 'g2', 'g3']) tasks.submit('greedy', name);
    await settle();
    expect(tasks.started).toEqual(['g1', 'g2']);
    tasks.submit('modest', 'm1');
    await settle();
    expect(tasks.started).toEqual(['g1', 'g2', 'm1']);
    await tasks.end('m1');
    expect(tasks.started).toEqual(['g1', 'g2', 'm1']);
    await tasks.end('g1');
    expect(tasks.started).toEqual(['g1', 'g2', 'm1', 'g3']);
  });
});
