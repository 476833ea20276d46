import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addDeadline, type Deadline, popDue } from './deadlines.ts';

it('returns every due deadline once, in order, and no other', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 50 })), fc.integer({ min: 0, max: 50 }), (times, now) => {
      const heap: Deadline[] = [];
      for (const atMs of times) addDeadline(heap, { atMs, universalId: 'e' });
      const due: number[] = [];
      for (let next = popDue(heap, now); next !== null; next = popDue(heap, now)) due.push(next.atMs);
      expect(due).toEqual(times.filter((atMs) => atMs <= now).sort((a, b) => a - b));
      expect(heap).toHaveLength(times.length - due.length);
    }),
  );
});
