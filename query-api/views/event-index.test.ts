import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aLink, anEvent } from '../testing/records.fixture.ts';
import { compareEvents, createEventIndex, idsOf, placeOf, putEvent, removeEvent } from './event-index.ts';

describe('the index of events', () => {
  it('lists what sorting all of them lists, whatever is told in whatever order', () => {
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
          expect(index.listed).toEqual(listed);
          expect(listed.map((entry) => placeOf(index.listed, entry))).toEqual(listed.map((_, at) => at));
        }
      }),
    );
  });

  it('knows the event of each market and what was merged into each, as the newest record of each event says', () => {
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
        const lastTold = new Map<(typeof steps)[number]['markets'][number], string>();
        for (const told of steps) {
          const { universalId, markets, mergedInto } = told;
          newest.set(universalId, told.remove ? { ...told, markets: [], mergedInto: null } : told);
          if (told.remove) removeEvent(index, universalId);
          else {
            const links = markets.map((providerMarketId) => aLink({ providerMarketId }));
            putEvent(index, anEvent({ universalId, links, mergedInto }));
            for (const market of markets) lastTold.set(market, universalId);
          }
        }
        // A market is its newest event's, unless that let go of it.
        const owned = [...lastTold].filter(([market, id]) => newest.get(id)!.markets.includes(market));
        expect(index.byMarket).toEqual(new Map(owned.map(([market, id]) => [`venue_b|${market}`, id])));
        for (const survivor of ['evt_x', 'evt_y']) {
          const into = [...newest.values()].filter(({ mergedInto }) => mergedInto === survivor);
          expect(idsOf(index, survivor).sort()).toEqual(
            [survivor, ...into.map(({ universalId }) => universalId)].sort(),
          );
        }
        expect([...index.absorbed.values()].every((ids) => ids.size > 0)).toBe(true);
      }),
    );
  });

  it('follows mergers over several steps, and does not hang on events that name each other', () => {
    const index = createEventIndex();
    putEvent(index, anEvent({ universalId: 'evt_a', mergedInto: 'evt_b' }));
    putEvent(index, anEvent({ universalId: 'evt_b', mergedInto: 'evt_c' }));
    expect(idsOf(index, 'evt_c')).toEqual(['evt_c', 'evt_b', 'evt_a']);
    putEvent(index, anEvent({ universalId: 'evt_c', mergedInto: 'evt_a' }));
    expect(idsOf(index, 'evt_c').sort()).toEqual(['evt_a', 'evt_b', 'evt_c']);
  });
});
