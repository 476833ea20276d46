import { describe, expect, it } from 'vitest';
import { FairSlots } from './fair-slots.ts';

/** Work that ends when it is told to; `began` has the names in the order in which they began. */
function bench(slots: FairSlots<string>) {
  const began: string[] = [];
  const ends = new Map<string, { resolve: () => void; reject: (error: Error) => void }>();
  const settled: Promise<unknown>[] = [];
  return {
    began,
    ask(owner: string, name: string) {
      const done = slots.run(owner, () => {
        began.push(name);
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

describe('fair slots', () => {
  it('go to so many at a time, and to the next one also after a failure', async () => {
    const work = bench(new FairSlots({ max: 2, maxPerOwner: 2 }));
    for (const name of ['1', '2', '3', '4']) work.ask('a', name);
    await settle();
    expect(work.began).toEqual(['1', '2']);
    await work.end('1', 'it fails');
    expect(work.began).toEqual(['1', '2', '3']);
    for (const name of ['2', '3', '4']) await work.end(name);
    expect(await work.results()).toEqual(['it fails', undefined, undefined, undefined]);
  });

  it('go round the owners, whoever asked for more', async () => {
    const work = bench(new FairSlots({ max: 1, maxPerOwner: 1 }));
    for (let nth = 1; nth <= 1_000; nth += 1) work.ask('greedy', `g${nth}`);
    work.ask('modest', 'm1');
    work.ask('other', 'o1');
    work.ask('modest', 'm2');
    for (const name of ['g1', 'g2', 'm1', 'o1', 'g3']) await work.end(name);
    expect(work.began).toEqual(['g1', 'g2', 'm1', 'o1', 'g3', 'm2']);
  });

  it('are kept free for others by what one owner may have', async () => {
    const work = bench(new FairSlots({ max: 3, maxPerOwner: 2 }));
    for (const name of ['g1', 'g2', 'g3']) work.ask('greedy', name);
    await settle();
    expect(work.began).toEqual(['g1', 'g2']);
    work.ask('modest', 'm1');
    await settle();
    expect(work.began).toEqual(['g1', 'g2', 'm1']);
    await work.end('m1');
    expect(work.began).toEqual(['g1', 'g2', 'm1']);
    await work.end('g1');
    expect(work.began).toEqual(['g1', 'g2', 'm1', 'g3']);
  });
});
