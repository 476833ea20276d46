import { describe, expect, it } from 'vitest';
import { addFill, addPage, addTrade, createFillLoad, missingFrom, releasedBefore } from './fill-load.ts';
import { type FillCopy, mergeCopies } from './merge-copies.ts';
import { coinFill, fillPage } from './venue-a-fills.fixture.ts';

const USER = '0xa';
const page = (...args: Parameters<typeof fillPage> extends [string, ...infer R] ? R : never) => fillPage(USER, ...args);
const merged = (fills: readonly (readonly FillCopy[])[] | null) => fills?.map(mergeCopies);
const times = (fills: readonly (readonly FillCopy[])[] | null) =>
  merged(fills)?.map(({ time, tid }) => (tid === time ? time : `${time}/${tid}`));

describe('a load of the fills of an account', () => {
  it('continues at the last time of a full page, and drops the fills that the next page repeats', () => {
    const load = createFillLoad();
    addPage(load, page('twaps', 0, []));
    const edge = [coinFill(2, { tid: 21 }), coinFill(2, { tid: 22 })];
    expect(times(addPage(load, page('orders', 0, [coinFill(1), ...edge], true)))).toEqual([1]);
    expect(load.lists.orders.from).toBe(2);
    const third = coinFill(2, { tid: 23 });
    expect(times(addPage(load, page('orders', 2, [...edge, third, coinFill(3)], true)))).toEqual([
      '2/21',
      '2/22',
      '2/23',
    ]);
    expect(times(addPage(load, page('orders', 3, [coinFill(3)])))).toEqual([3]);
    expect([load.loadedAt, load.waiting.size, releasedBefore(load)]).toEqual([10_000_003, 0, 10_000_000]);
  });

  it('releases the fills of both lists in order, once both are known up to their time', () => {
    const load = createFillLoad();
    expect(addPage(load, page('orders', 0, [coinFill(1), coinFill(5)], true))).toEqual([]);
    expect(times(addPage(load, page('twaps', 0, [coinFill(2), coinFill(3)], true)))).toEqual([1, 2]);
    expect(times(addPage(load, page('twaps', 3, [coinFill(3), coinFill(6)])))).toEqual([3]);
    expect(load.loadedAt).toBeNull();
    expect(times(addPage(load, page('orders', 5, [coinFill(5), coinFill(7)])))?.toSorted()).toEqual([5, 6, 7]);
    expect(load.loadedAt).toBe(10_000_005);
  });

  it('advances by a millisecond where a page holds fills of one time only', () => {
    const load = createFillLoad();
    addPage(load, page('orders', 0, [coinFill(4)], true));
    addPage(load, page('orders', 4, [coinFill(4)], true));
    expect([load.lists.orders.from, load.skippedAt]).toEqual([5, 4]);
    addPage(load, page('orders', 5, [coinFill(6), coinFill(7)], true));
    expect([load.lists.orders.from, load.skippedAt]).toEqual([7, 4]);
  });

  it('does not advance beyond a full page that arrives twice', () => {
    const load = createFillLoad();
    const full = page('orders', 0, [coinFill(1), coinFill(4)], true);
    addPage(load, full);
    addPage(load, full);
    expect(load.lists.orders.from).toBe(4);
  });

  it('knows that nothing is before the end of a list without fills', () => {
    const load = createFillLoad();
    addPage(load, page('twaps', 0, []));
    addPage(load, page('orders', 0, [coinFill(1), coinFill(4)], true));
    expect([load.loadedAt, releasedBefore(load)]).toEqual([null, 4]);
  });

  it('retains a bounded number of fills of other sources', () => {
    const load = createFillLoad();
    for (let time = 1; time <= 10_001; time += 1) addFill(load, { source: 'node', fill: coinFill(time) });
    expect(load.waiting.size).toBe(10_000);
    addPage(load, page('twaps', 0, []));
    expect(addPage(load, page('orders', 0, [coinFill(10_001)]))).toHaveLength(10_001);
  });

  it('ignores pages that begin later than it, and pages with an end', () => {
    const load = createFillLoad();
    expect(addPage(load, page('orders', 1, [coinFill(1)]))).toBeNull();
    expect(addPage(load, { ...page('orders', 0, [coinFill(1)]), until: 9 })).toBeNull();
    expect(load.lists.orders.completeAt).toBeNull();
  });

  it('releases new fills at once when it is complete, and a repeated page of earlier ones none', () => {
    const load = createFillLoad();
    const first = page('orders', 0, [coinFill(1), coinFill(2)]);
    addPage(load, first);
    addPage(load, page('twaps', 0, []));
    expect(addPage(load, first)).toEqual([]);
    expect(addPage(load, page('orders', 2, [coinFill(2)]))).toEqual([]);
    expect(times(addPage(load, page('orders', 2, [coinFill(2), coinFill(3)])))).toEqual([3]);
  });

  it('takes the builder that another source names, whichever comes first', () => {
    for (const isNodeFirst of [true, false]) {
      const load = createFillLoad();
      const steps = [
        () => addFill(load, { source: 'node', fill: coinFill(1, { builder: '0xb' }) }),
        () => addPage(load, page('orders', 0, [coinFill(1)])),
      ];
      for (const step of isNodeFirst ? steps : steps.toReversed()) expect(step()).toEqual([]);
      expect(merged(addPage(load, page('twaps', 0, [])))).toEqual([coinFill(1, { builder: '0xb' })]);
      expect(merged(addFill(load, { source: 'node', fill: coinFill(2) }))).toEqual([coinFill(2)]);
    }
  });

  it('is complete up to when the request was sent, and never less than before', () => {
    const load = createFillLoad();
    addPage(load, { ...page('orders', 0, []), requestedAt: 9_000_000 });
    expect(load.lists.orders.completeAt).toBe(9_000_000);
    addPage(load, { ...page('orders', 0, []), requestedAt: null });
    expect(load.lists.orders.completeAt).toBe(9_990_000);
    addPage(load, { ...page('orders', 0, []), requestedAt: 9_980_000 });
    expect(load.lists.orders.completeAt).toBe(9_990_000);
  });

  it('is known with the first response about each list', () => {
    const load = createFillLoad();
    addPage(load, page('orders', 0, [coinFill(1), coinFill(2)], true));
    expect(load.knownAt).toBeNull();
    addPage(load, page('twaps', 0, []));
    expect([load.knownAt, load.loadedAt]).toEqual([10_000_000, null]);
  });

  it('states the oldest recorded trade that is missing, until a source brings its fill', () => {
    const load = createFillLoad();
    addPage(load, page('twaps', 0, []));
    addPage(load, page('orders', 0, []));
    expect(missingFrom(load)).toBeNull();
    for (const time of [20_000_002, 20_000_001, 20_000_003]) addTrade(load, aTrade(time));
    expect(missingFrom(load)).toBe(20_000_001);
    addFill(load, { source: 'node', fill: coinFill(20_000_001) });
    expect(missingFrom(load)).toBe(20_000_002);
    addPage(load, { ...page('orders', 0, [coinFill(20_000_002)]), requestedAt: 20_000_002, receivedAt: 20_000_009 });
    expect(missingFrom(load)).toBe(20_000_003);
  });

  it('awaits a bounded number of trades, and none of which complete responses long after it lack the fill', () => {
    const load = createFillLoad();
    for (let nth = 0; nth < 1_002; nth += 1) addTrade(load, aTrade(20_000_000 + nth));
    expect(load.missing.size).toBe(1_000);
    for (let nth = 0; nth < 1_000; nth += 1) addFill(load, { source: 'node', fill: coinFill(20_000_000 + nth) });
    expect(missingFrom(load)).toBe(20_001_000);
    const complete = (requestedAt: number) => {
      for (const list of ['orders', 'twaps'] as const)
        addPage(load, { ...page(list, 0, []), requestedAt, receivedAt: requestedAt + 1 });
    };
    complete(20_031_000);
    expect(missingFrom(load)).toBe(20_001_000);
    complete(20_031_001);
    expect(missingFrom(load)).toBeNull();
  });
});

function aTrade(time: number) {
  return { id: `venue_a_perp:BTC:${time}:${time}`, ts: time, receivedAt: time };
}
