import { describe, expect, it } from 'vitest';
import type { EventLog } from './log/log.ts';
import { sharedByLog } from './shared-by-log.ts';

class Counter {
  total = 0;
  closed = 0;
  add(): number {
    this.total += 1;
    return this.total;
  }
  async close(): Promise<void> {
    this.closed += 1;
  }
}

const newLog = () => ({ log: {} as EventLog });

describe('what is shared by log', () => {
  it('is one for all who open it on the same log, whoever changes it', async () => {
    const open = sharedByLog(async () => new Counter());
    const context = newLog();
    const [first, second] = await Promise.all([open(context), open(context)]);
    expect([first.add(), second.add(), first.add(), second.total]).toEqual([1, 2, 3, 3]);
    expect((await open(newLog())).total).toBe(0);
  });

  it('ends once its last opener has closed it, however often one does', async () => {
    const made = new Counter();
    const open = sharedByLog(async () => made);
    const context = newLog();
    const [first, second] = [await open(context), await open(context)];
    await first.close();
    await first.close();
    expect(made.closed).toBe(0);
    await second.close();
    expect(made.closed).toBe(1);
  });

  it('is made anew after it ended', async () => {
    const open = sharedByLog(async () => new Counter());
    const context = newLog();
    const first = await open(context);
    first.add();
    await first.close();
    expect((await open(context)).total).toBe(0);
  });

  it('is not kept where it failed to start, and one that started since is', async () => {
    let fails = true;
    const open = sharedByLog(async () => {
      if (fails) throw new Error('not now');
      return new Counter();
    });
    const context = newLog();
    const failed = [open(context), open(context)];
    await expect(failed[0]).rejects.toThrow('not now');
    fails = false;
    const started = await open(context);
    started.add();
    await expect(failed[1]).rejects.toThrow('not now');
    expect((await open(context)).total).toBe(1);
  });
});
