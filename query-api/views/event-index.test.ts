import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { aLink, anEvent } from '../testing/records.fixture.ts';
import {
  compareEvents,
  createEventIndex,
  idsWithMerged,
  putEvent,
  removeEvent,
  removeListedWhere,
} from './event-index.ts';

describe('the event index', () => {
  it('lists all unmerged events in sorted order after any sequence of changes', () => {
    const step = fc.record({
      universalId: fc.constantFrom('evt_a', 'evt_b', 'evt_c', 'evt_d', 'evt_e'),
      firstSeenAt: fc.integer({ min: 0, max: 4 }),
      mergedInto: fc.constantFrom(null, null, 'evt_x'),
      remove: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const index = createEventIndex();
        const expected = new Map<string, ReturnType<typeof anEvent>>();
        for (const { remove, ...fields } of steps) {
          const event = anEvent(fields);
          if (remove) {
            removeEvent(index, event.universalId);
            expected.delete(event.universalId);
          } else {
            putEvent(index, event);
            expected.set(event.universalId, event);
          }
          expect(index.byId).toEqual(expected);
          const listed = [...expected.values()].filter(({ mergedInto }) => mergedInto === null).sort(compareEvents);
          expect(index.listed.flat()).toEqual(listed);
        }
      }),
    );
  });

  it('maps markets to events and events to the events merged into them by the newest record of each event', () => {
    const step = fc.record({
      universalId: fc.constantFrom('evt_a', 'evt_b', 'evt_c'),
      markets: fc.uniqueArray(fc.constantFrom('0x1', '0x2', '0x3'), { maxLength: 2 }),
      mergedInto: fc.constantFrom(null, 'evt_x', 'evt_y'),
      remove: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const index = createEventIndex();
        const newest = new Map<string, (typeof steps)[number]>();
        const lastLinked = new Map<(typeof steps)[number]['markets'][number], string>();
        for (const change of steps) {
          const { universalId, markets, mergedInto } = change;
          newest.set(universalId, change.remove ? { ...change, markets: [], mergedInto: null } : change);
          if (change.remove) removeEvent(index, universalId);
          else {
            const links = markets.map((providerMarketId) => aLink({ providerMarketId }));
            putEvent(index, anEvent({ universalId, links, mergedInto }));
            for (const market of markets) lastLinked.set(market, universalId);
          }
        }
        // A market belongs to the last event that was linked to it, unless that event dropped the link.
        const owned = [...lastLinked].filter(([market, id]) => newest.get(id)!.markets.includes(market));
        expect(index.byMarket).toEqual(new Map(owned.map(([market, id]) => [`venue_b|${market}`, id])));
        for (const survivor of ['evt_x', 'evt_y']) {
          const into = [...newest.values()].filter(({ mergedInto }) => mergedInto === survivor);
          expect(idsWithMerged(index, survivor).sort()).toEqual(
            [survivor, ...into.map(({ universalId }) => universalId)].sort(),
          );
        }
        expect([...index.mergedFrom.values()].every((ids) => ids.size > 0)).toBe(true);
      }),
    );
  });

  it('follows chains of merged events, and does not hang on a cycle', () => {
    const index = createEventIndex();
    putEvent(index, anEvent({ universalId: 'evt_a', mergedInto: 'evt_b' }));
    putEvent(index, anEvent({ universalId: 'evt_b', mergedInto: 'evt_c' }));
    expect(idsWithMerged(index, 'evt_c')).toEqual(['evt_c', 'evt_b', 'evt_a']);
    putEvent(index, anEvent({ universalId: 'evt_c', mergedInto: 'evt_a' }));
    expect(idsWithMerged(index, 'evt_c').sort()).toEqual(['evt_a', 'evt_b', 'evt_c']);
  });

  it('removeListedWhere removes exactly the listed events that match the predicate', () => {
    const index = createEventIndex();
    for (let at = 0; at < 2_000; at += 1)
      putEvent(
        index,
        anEvent({
          universalId: `evt_${at}`,
          firstSeenAt: (at * 7) % 31,
          links: [aLink({ providerMarketId: `0x${at}` })],
        }),
      );
    putEvent(index, anEvent({ universalId: 'evt_merged', mergedInto: 'evt_3', firstSeenAt: 0, links: [] }));
    removeListedWhere(index, ({ firstSeenAt }) => firstSeenAt < 30);
    const ids = Array.from({ length: 2_000 }, (_, at) => at).filter((at) => (at * 7) % 31 === 30);
    expect(new Set(index.listed.flat().map(({ universalId }) => universalId))).toEqual(
      new Set(ids.map((at) => `evt_${at}`)),
    );
    expect([...index.byId.keys()]).toEqual([...ids.map((at) => `evt_${at}`), 'evt_merged']);
    expect([...index.byMarket.keys()]).toEqual(ids.map((at) => `venue_b|0x${at}`));
    expect(idsWithMerged(index, 'evt_3')).toEqual(['evt_3', 'evt_merged']);
  });

  it('adds and removes events in any order at a cost that grows slowly with their number', () => {
    const COUNT = 20_000;
    const index = createEventIndex();
    let reads = 0;
    /** An event that counts the reads of its sort key. */
    const counted = (at: number) => {
      const event = anEvent({ universalId: `evt_${at}`, links: [] });
      // 7919 is coprime to COUNT, so that each value occurs once, in scattered order.
      const firstSeenAt = (at * 7_919) % COUNT;
      return Object.defineProperty(event, 'firstSeenAt', {
        get: () => {
          reads += 1;
          return firstSeenAt;
        },
      });
    };
    const splices = countSplices();
    try {
      for (let at = 0; at < COUNT; at += 1) putEvent(index, counted(at));
      expect(index.listed.flat()).toHaveLength(COUNT);
      for (let at = 0; at < COUNT; at += 2) removeEvent(index, `evt_${at}`);
      expect(splices.moved()).toBeLessThan(500 * COUNT);
      // Two searches; each step reads the keys of two events up to twice.
      expect(reads).toBeLessThan(200 * COUNT);
      const before = splices.moved();
      removeListedWhere(index, () => true);
      expect(splices.moved() - before).toBeLessThan(COUNT);
    } finally {
      splices.end();
    }
    expect(index.listed).toEqual([]);
  });
});

/** Counts the array elements that splice moves. */
function countSplices() {
  const real = Array.prototype.splice;
  let moved = 0;
  const spy = vi.spyOn(Array.prototype, 'splice').mockImplementation(function (this: unknown[], ...args: unknown[]) {
    moved += this.length - Number(args[0]);
    return Reflect.apply(real, this, args);
  });
  return { moved: () => moved, end: () => spy.mockRestore() };
}
