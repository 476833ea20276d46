import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Budget } from './budget.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Times from now, ms, at which each of these simultaneous costs may be spent. */
async function served(budget: Budget, costs: number[], withinMs: number): Promise<number[]> {
  const began = Date.now();
  const times: number[] = [];
  for (const cost of costs) void budget.acquire(cost).then(() => void times.push(Date.now() - began));
  await vi.advanceTimersByTimeAsync(withinMs);
  return times;
}

describe('a budget', () => {
  it('spends up to its limit immediately, and the rest as costs leave the window', async () => {
    const budget = new Budget({ max: 3, windowMs: 1_000 });
    expect(await served(budget, [1, 1, 1, 1, 1], 10_000)).toEqual([0, 0, 0, 1_000, 1_000]);
  });

  it('frees its window at the same moment when the wall clock is set back or forward', async () => {
    for (const step of [-3_600_000, 3_600_000]) {
      const budget = new Budget({ max: 1, windowMs: 1_000 });
      const times: number[] = [];
      const began = performance.now();
      for (let call = 0; call < 2; call += 1)
        void budget.acquire(1).then(() => void times.push(performance.now() - began));
      await vi.advanceTimersByTimeAsync(1);
      vi.setSystemTime(Date.now() + step);
      await vi.advanceTimersByTimeAsync(1_000);
      expect(times, `${step}`).toEqual([0, 1_000]);
    }
  });

  it('never spends more than its limit within any window', async () => {
    const budget = new Budget({ max: 30, windowMs: 60_000 });
    const times: number[] = [];
    const began = Date.now();
    for (let calls = 0; calls < 100; calls += 1) {
      void budget.acquire(1).then(() => void times.push(Date.now() - began));
      await vi.advanceTimersByTimeAsync(700);
    }
    await vi.advanceTimersByTimeAsync(180_000);
    expect(times).toHaveLength(100);
    for (const from of times)
      expect(times.filter((at) => at >= from && at < from + 60_000).length).toBeLessThanOrEqual(30);
  });

  it('serves waiters in order, so that small costs do not overtake a large one', async () => {
    const budget = new Budget({ max: 10, windowMs: 1_000 });
    expect(await served(budget, [6, 6, 4], 5_000)).toEqual([0, 1_000, 1_000]);
  });

  it('serves a cost above its limit when nothing else is spent', async () => {
    const budget = new Budget({ max: 5, windowMs: 1_000 });
    expect(await served(budget, [1, 20, 1], 5_000)).toEqual([0, 1_000, 2_000]);
  });

  it('spends nothing while it is blocked', async () => {
    const budget = new Budget({ max: 5, windowMs: 1_000 });
    budget.blockFor(3_000);
    budget.blockFor(1_000);
    expect(await served(budget, [1], 10_000)).toEqual([3_000]);
  });

  it('spends again as soon as the block has ended, whatever was spent before', async () => {
    const budget = new Budget({ max: 10, windowMs: 60_000 });
    await budget.acquire(4);
    budget.blockFor(1_000);
    expect(await served(budget, [1, 5], 10_000)).toEqual([1_000, 1_000]);
    // What then lacks room waits for the window.
    expect(await served(budget, [1], 60_000)).toEqual([50_000]);
  });

  it('serves those behind a cost that no longer waits', async () => {
    const budget = new Budget({ max: 10, windowMs: 60_000 });
    await budget.acquire(4);
    const abort = new AbortController();
    // The second one ends with the first one, so that it must get nothing.
    for (const cost of [8, 2]) budget.reserve(cost, { signal: abort.signal }).catch(() => {});
    setTimeout(() => abort.abort(), 2_000);
    expect(await served(budget, [3], 10_000)).toEqual([2_000]);
    expect(budget.used).toBe(7);
  });

  it('rejects a waiter whose signal aborts', async () => {
    const budget = new Budget({ max: 1, windowMs: 60_000 });
    await budget.acquire(1);
    const abort = new AbortController();
    const waiting = budget.acquire(1, abort.signal);
    abort.abort(new Error('closing'));
    await expect(waiting).rejects.toThrow('closing');
    await expect(budget.acquire(1, abort.signal)).rejects.toThrow('closing');
  });

  it('serves at once who waited behind a larger cost that is given up, and leaves no timer when nobody waits', async () => {
    const budget = new Budget({ max: 10, windowMs: 60_000 });
    await budget.acquire(6);
    const [large, small, none] = [new AbortController(), new AbortController(), vi.fn()];
    const first = budget.acquire(9, large.signal).catch(none);
    const second = budget.acquire(3, small.signal);
    await vi.advanceTimersByTimeAsync(10);
    large.abort();
    await Promise.all([first, second]);
    expect(none).toHaveBeenCalledOnce();
    const third = budget.acquire(9, small.signal).catch(none);
    expect(vi.getTimerCount()).toBe(1);
    small.abort();
    await third;
    expect(vi.getTimerCount()).toBe(0);
  });

  it('serves a waiter also if a cost leaves the window while it looks for room', async () => {
    const times: number[] = [];
    let time = 0;
    const budget = new Budget({ max: 1, windowMs: 1_000, now: () => times.shift() ?? time });
    await budget.acquire(1);
    const served = vi.fn();
    void budget.acquire(1).then(served);
    // The timer is a fraction of a millisecond early, and the moment passes meanwhile.
    times.push(999.9, 999.9, 1_000.1);
    time = 1_001;
    await vi.advanceTimersByTimeAsync(1_010);
    expect(served).toHaveBeenCalledOnce();
  });
});

describe('a reservation', () => {
  it('counts until it is settled, then for one window with what was really spent', async () => {
    const budget = new Budget({ max: 10, windowMs: 1_000 });
    const reservation = await budget.reserve(10);
    let servedAt: number | null = null;
    const began = Date.now();
    void budget.acquire(8).then(() => {
      servedAt = Date.now() - began;
    });
    await vi.advanceTimersByTimeAsync(5_000);
    expect([servedAt, budget.used]).toEqual([null, 10]);
    reservation.settle(2);
    await vi.advanceTimersByTimeAsync(0);
    expect([servedAt, budget.used]).toEqual([5_000, 10]);
    reservation.settle(0);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(budget.used).toBe(0);
  });

  it('states when there is room for a cost', async () => {
    const budget = new Budget({ max: 10, windowMs: 1_000 });
    await budget.acquire(6);
    await vi.advanceTimersByTimeAsync(400);
    await budget.acquire(4);
    expect([budget.untilRoomMs(6), budget.untilRoomMs(7)]).toEqual([600, 1_000]);
  });
});

/** Reserves so many costs of 1 at once with a priority, gives up those that wait, and returns how many were served. */
const settledOf = (budget: Budget) => async (count: number, priority: number) => {
  let served = 0;
  const cancel = new AbortController();
  const all = Array.from({ length: count }, () =>
    budget.reserve(1, { priority, signal: cancel.signal }).then((reservation) => {
      served += 1;
      reservation.settle();
    }),
  );
  await vi.advanceTimersByTimeAsync(0);
  cancel.abort();
  await Promise.allSettled(all);
  return served;
};

describe('priorities', () => {
  it('are served in their order, whatever arrived first', async () => {
    const budget = new Budget({ max: 1, windowMs: 1_000 });
    await budget.acquire(1);
    const order: number[] = [];
    for (const priority of [4, 1, 3, 0])
      void budget.reserve(1, { priority }).then((reservation) => {
        order.push(priority);
        reservation.settle();
      });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(order).toEqual([0, 1, 3, 4]);
  });

  it('of those behind the reserved priority leave room for more important ones', async () => {
    const reserved = { priority: 1, cost: 6, behindMax: 3 };
    const budget = new Budget({ max: 12, windowMs: 1_000, reserved });
    const served: string[] = [];
    const request = (name: string, cost: number, priority: number) =>
      void budget.reserve(cost, { priority }).then((reservation) => {
        served.push(name);
        reservation.settle();
      });
    for (const name of ['bars 1', 'bars 2', 'bars 3', 'bars 4']) request(name, 1, 4);
    request('lists 1', 3, 0);
    request('lists 2', 3, 0);
    request('read', 6, 1);
    await vi.advanceTimersByTimeAsync(0);
    expect(served).toEqual(['bars 1', 'bars 2', 'bars 3', 'lists 1', 'read']);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(served.slice(5)).toEqual(['lists 2', 'bars 4']);
  });

  it('of those behind the reserved priority also use what it lends: half, and less the more it spends', async () => {
    const budget = new Budget({ max: 12, windowMs: 1_000, reserved: { priority: 1, cost: 6, idle: 2, behindMax: 3 } });
    const settled = settledOf(budget);
    // Nobody reads: four of the six are lent.
    expect(await settled(12, 4)).toBe(7);
    // More important costs have a share of their own.
    expect(await settled(12, 0)).toBe(3);
    expect(await settled(12, 1)).toBe(2);
    await vi.advanceTimersByTimeAsync(1_000);
    // Twice of what is read is reserved.
    expect(await settled(2, 1)).toBe(2);
    expect(await settled(12, 4)).toBe(5);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await settled(3, 1)).toBe(3);
    expect(await settled(12, 4)).toBe(3);
  });

  it('of those behind the reserved priority have more lent while they are urgent, which takes nothing from the others', async () => {
    const reserved = { priority: 1, cost: 6, idle: 4, urgent: { priority: 2, idle: 1 }, behindMax: 3 };
    const budget = new Budget({ max: 12, windowMs: 1_000, reserved });
    const settled = settledOf(budget);
    // Nobody reads: two of the six are lent to others, five to urgent ones and all together.
    expect(await settled(12, 4)).toBe(5);
    expect(await settled(12, 2)).toBe(3);
    expect(await settled(12, 4)).toBe(0);
    expect(await settled(12, 0)).toBe(3);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await settled(12, 2)).toBe(8);
    expect(await settled(12, 4)).toBe(0);
    // Of what reads spend, twice as much is reserved from then on.
    expect(await settled(12, 1)).toBe(4);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await settled(3, 1)).toBe(3);
    expect(await settled(12, 2)).toBe(3);
  });

  it('leave a part to the one for which it is reserved', async () => {
    const budget = new Budget({ max: 10, windowMs: 1_000, reserved: { priority: 1, cost: 5 } });
    const served: string[] = [];
    const request = (name: string, priority: number) =>
      void budget.reserve(5, { priority }).then((reservation) => {
        served.push(name);
        reservation.settle();
      });
    request('listing', 0);
    request('another listing', 0);
    request('settlement', 3);
    request('read', 1);
    await vi.advanceTimersByTimeAsync(0);
    expect(served).toEqual(['listing', 'read']);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(served).toEqual(['listing', 'read', 'another listing']);
  });
});

describe('the spare part of a limit', () => {
  const open = () => new Budget({ max: 10, windowMs: 1_000, reserved: { priority: 1, cost: 5, spare: 3 } });
  /** Requests a cost, and adds its name to `served` with the time. */
  const requester = (budget: Budget) => {
    const began = Date.now();
    const served: string[] = [];
    const request = (cost: number, priority: number, payer?: string) =>
      void budget.reserve(cost, { priority, ...(payer ? { payers: new Set([payer]) } : {}) }).then((reservation) => {
        served.push(`${payer ?? priority} ${Date.now() - began}`);
        reservation.settle();
      });
    return { served, request };
  };

  it('is for payers that spend little, whoever waits before them', async () => {
    const { served, request } = requester(open());
    for (let nth = 0; nth < 4; nth += 1) request(2, 1, 'much');
    request(2, 1, 'little');
    await vi.advanceTimersByTimeAsync(400);
    expect(served).toEqual(['much 0', 'much 0', 'much 0', 'little 0']);
    // With this one it would spend more than the spare part.
    request(2, 1, 'little');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(served.slice(4)).toEqual(['much 1000', 'little 1000']);
  });

  it('is for what is more important, and not for what is less', async () => {
    const { served, request } = requester(open());
    request(7, 1, 'much');
    request(2, 2);
    request(2, 0);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(served).toEqual(['much 0', '0 0', '2 1000']);
  });

  it('counts what payers spent within the window only', async () => {
    const { served, request } = requester(open());
    request(3, 1, 'little');
    await vi.advanceTimersByTimeAsync(600);
    request(5, 1, 'much');
    request(2, 1, 'little');
    await vi.advanceTimersByTimeAsync(400);
    expect(served).toEqual(['little 0', 'much 1000', 'little 1000']);
  });

  it('is for a cost that waits as soon as a payer that spends little is added to it, and each pays all of it', async () => {
    const served: string[] = [];
    const budget = open();
    const payers = new Set(['much']);
    const reserve = (all: Set<string>) =>
      void budget.reserve(2, { priority: 1, payers: all }).then((reservation) => {
        served.push([...all].join(' '));
        reservation.settle();
      });
    for (let nth = 0; nth < 4; nth += 1) reserve(nth === 3 ? payers : new Set(['much']));
    await vi.advanceTimersByTimeAsync(100);
    expect(served).toEqual(['much', 'much', 'much']);
    payers.add('little');
    budget.recheck();
    await vi.advanceTimersByTimeAsync(0);
    expect(served).toEqual(['much', 'much', 'much', 'much little']);
    // It has spent 2 of the spare 3.
    reserve(new Set(['little']));
    await vi.advanceTimersByTimeAsync(100);
    expect(served).toHaveLength(4);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(served).toHaveLength(5);
  });

  it('states if costs that are not behind the reserved priority lacked room a moment ago', async () => {
    const budget = open();
    const { request } = requester(budget);
    budget.blockFor(500);
    request(1, 2, 'much');
    expect(budget.lackedRoomWithin(100)).toBe(false);
    request(1, 1, 'much');
    expect(budget.lackedRoomWithin(0)).toBe(true);
    await vi.advanceTimersByTimeAsync(600);
    expect([budget.lackedRoomWithin(99), budget.lackedRoomWithin(100)]).toEqual([false, true]);
    request(1, 1, 'much');
    expect(budget.lackedRoomWithin(99)).toBe(false);
  });

  it('states if there is room for a cost now, behind those that wait', async () => {
    const budget = open();
    const { request } = requester(budget);
    const hasRoom = (cost: number, payer: string, priority = 1) =>
      budget.hasRoom(cost, { priority, payers: new Set([payer]) });
    request(5, 1, 'much');
    expect([hasRoom(2, 'much'), hasRoom(3, 'much'), hasRoom(3, 'little'), hasRoom(6, 'little')]).toEqual([
      true,
      false,
      true,
      false,
    ]);
    // This one waits. Another that may not use the spare part waits behind it.
    request(3, 1, 'much');
    expect([hasRoom(1, 'much'), hasRoom(1, 'little'), hasRoom(1, 'much', 0)]).toEqual([false, true, true]);
    budget.blockFor(500);
    expect(hasRoom(1, 'little')).toBe(false);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(hasRoom(1, 'much')).toBe(true);
  });

  it('does not prevent a cost above the rest when nothing else is spent', async () => {
    const { served, request } = requester(open());
    request(9, 1, 'much');
    await vi.advanceTimersByTimeAsync(0);
    expect(served).toEqual(['much 0']);
  });
});
