import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anEvent } from '../testing/records.fixture.ts';
import { compareEvents, createEventIndex, placeOf, putEvent, removeEvent } from './event-index.ts';

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
});
