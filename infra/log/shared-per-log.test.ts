import { describe, expect, it } from 'vitest';
import type { EventLog } from './log.ts';
import { sharedPerLog } from './shared-per-log.ts';

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

describe('an instance shared per log', () => {
  it('is the same for all callers with the same log', async () => {
    const open = sharedPerLog(async () => new Counter());
    const context = newLog();
    const [first, second] = await Promise.all([open(context), open(context)]);
    expect([first.add(), second.add(), first.add(), second.total]).toEqual([1, 2, 3, 3]);
    expect((await open(newLog())).total).toBe(0);
  });

  it('ends when its last caller has closed it, however often one caller does', async () => {
    const instance = new Counter();
    const open = sharedPerLog(async () => instance);
    const context = newLog();
    const [first, second] = [await open(context), await open(context)];
    await first.close();
    await first.close();
    expect(instance.closed).toBe(0);
    await second.close();
    expect(instance.closed).toBe(1);
  });

  it('is started again after it ended', async () => {
    const open = sharedPerLog(async () => new Counter());
    const context = newLog();
    const first = await open(context);
    first.add();
    await first.close();
    expect((await open(context)).total).toBe(0);
  });

  it('is not shared after it failed to start, and one that started since then is', async () => {
    let fails = true;
    const open = sharedPerLog(async () => {
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
