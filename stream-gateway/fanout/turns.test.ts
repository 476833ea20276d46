import { describe, expect, it } from 'vitest';
import { Turns } from './turns.ts';

describe('turns', () => {
  it('go to so many at a time, in order, and to the next one also after a failure', async () => {
    const turns = new Turns(2);
    const began: number[] = [];
    const finish: (() => void)[] = [];
    let running = 0;
    let most = 0;
    const all = [0, 1, 2, 3, 4].map((nth) =>
      turns.run(async () => {
        began.push(nth);
        running += 1;
        most = Math.max(most, running);
        await new Promise<void>((resolve) => {
          finish[nth] = resolve;
        });
        running -= 1;
        if (nth === 0) throw new Error('the first fails');
        return nth;
      }),
    );
    const settled = Promise.allSettled(all);
    for (let nth = 0; nth < 5; nth += 1) {
      while (!finish[nth]) await Promise.resolve();
      finish[nth]!();
    }
    expect((await settled).map(({ status }) => status)).toEqual(['rejected', ...Array(4).fill('fulfilled')]);
    expect([began, most]).toEqual([[0, 1, 2, 3, 4], 2]);
  });
});
