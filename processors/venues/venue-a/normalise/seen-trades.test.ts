import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forgetQuiet, isSeen, REMEMBERED_TRADES, remember, type SeenTrades } from './seen-trades.ts';

const DAY = 86_400_000;
const keyOf = (time: number, tid: number) => `${time}:${tid}`;
/** Returns true and stores the trade if it is new. */
function add(seen: SeenTrades, time: number, tid: number, coin = 'BTC'): boolean {
  if (isSeen(seen, coin, time, keyOf(time, tid))) return false;
  remember(seen, coin, time, keyOf(time, tid), time);
  return true;
}

describe('seen trades', () => {
  it('are identified by coin, time and tid together', () => {
    const seen: SeenTrades = new Map();
    expect(add(seen, 100, 1)).toBe(true);
    expect(add(seen, 100, 1)).toBe(false);
    expect(add(seen, 100, 2)).toBe(true);
    expect(add(seen, 101, 1)).toBe(true);
    expect(add(seen, 100, 1, 'ETH')).toBe(true);
  });

  it('are detected at any age, while newer ones are accepted', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 4 * REMEMBERED_TRADES }),
        fc.infiniteStream(fc.nat()),
        (steps, picks) => {
          const seen: SeenTrades = new Map();
          const added: [number, number][] = [];
          let time = 1_000;
          for (const [tid, step] of steps.entries()) {
            time += step;
            expect(add(seen, time, tid)).toBe(true);
            added.push([time, tid]);
            const [oldTime, oldTid] = added[picks.next().value! % added.length]!;
            expect(add(seen, oldTime, oldTid)).toBe(false);
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  it('include all trades of one block, however many there are', () => {
    const seen: SeenTrades = new Map();
    const count = 3 * REMEMBERED_TRADES + 7;
    add(seen, 99, 0);
    for (let tid = 0; tid < count; tid += 1) expect(add(seen, 100, tid)).toBe(true);
    for (let tid = 0; tid < count; tid += 1) expect(add(seen, 100, tid)).toBe(false);
  });

  it('are bounded', () => {
    const seen: SeenTrades = new Map();
    for (let tid = 0; tid < 20 * REMEMBERED_TRADES; tid += 1) add(seen, 1_000 + tid, tid);
    expect(seen.get('BTC')!.trades.size).toBeLessThan(2 * REMEMBERED_TRADES);
  });
});

describe('a quiet coin', () => {
  const isStored = (coin: string) => coin === '#81';

  it('has only the time of its newest trade after two days', () => {
    const seen: SeenTrades = new Map();
    add(seen, 1_000, 1);
    add(seen, 2_000, 2);
    forgetQuiet(seen, 2_000 + 2 * DAY - 1, isStored);
    expect(seen.get('BTC')!.trades.size).toBe(2);
    forgetQuiet(seen, 2_000 + 2 * DAY, isStored);
    expect(seen.get('BTC')!.trades.size).toBe(0);
    expect(add(seen, 2_000, 2)).toBe(false);
    expect(add(seen, 2_001, 3)).toBe(true);
  });

  it('is removed after thirty days only if it is the coin of an outcome that has ended', () => {
    const seen: SeenTrades = new Map();
    add(seen, 1_000, 1, '#70');
    add(seen, 1_000, 1, '#81');
    add(seen, 1_000, 1, 'BTC');
    forgetQuiet(seen, 1_000 + 30 * DAY - 1, isStored);
    expect([...seen.keys()]).toEqual(['#70', '#81', 'BTC']);
    forgetQuiet(seen, 1_000 + 30 * DAY, isStored);
    expect([...seen.keys()]).toEqual(['#81', 'BTC']);
    // What is left of an open one is one time.
    expect(seen.get('#81')!.trades.size).toBe(0);
    expect(add(seen, 1_000, 1, '#81')).toBe(false);
  });
});
